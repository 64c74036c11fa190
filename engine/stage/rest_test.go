package stage

import (
	"errors"
	"testing"

	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/store"
)

// A stage that does not run is told of by its outline as by its document, without its guest; the look writes nothing.
func TestOutlineTellsOfAStageThatRests(t *testing.T) {
	w := newWorld(t, "orders", "payments")
	w.onDeliver = nil
	plan := w.plan("inputs: {payments: {}, orders: {}}")
	fillHeld(w, 3)
	s := w.quiet("inputs: {payments: {}, orders: {}}")
	w.drainStep(s)
	held := s.Holds()
	w.must(s.Close())
	before := stateOf(w, plan.Name)

	o := OutlineOf(plan)
	waiting, err := o.Waiting(w.log)
	w.must(err)
	if len(waiting.Holds) != 1 || len(held) != 1 || waiting.Ready != 0 || waiting.Holds[0].WaitingBehind != 2 {
		t.Fatalf("%+v, the run held %+v", waiting, held)
	}
	waiting.Holds[0].HeldMS = held[0].HeldMS
	w.equal("holds", waiting.Holds, held)
	d, err := o.Describe(w.log)
	w.must(err)
	want, err := Describe(w.log, plan)
	w.must(err)
	w.equal("description", d, want)
	w.equal("state", stateOf(w, plan.Name), before)
}

// An outline comes from another process: one that no document can have is refused.
func TestOutlineIsChecked(t *testing.T) {
	w := newWorld(t, "orders")
	in := pipeline.StageInput{Topic: "orders"}
	for _, o := range []Outline{
		{}, {Name: "s"}, {Inputs: []pipeline.StageInput{in}}, {Name: "s", Inputs: []pipeline.StageInput{in, in}},
		{Name: string(make([]byte, nameMost+1)), Inputs: []pipeline.StageInput{in}},
	} {
		_, waiting := o.Waiting(w.log)
		if _, err := o.Describe(w.log); err == nil || waiting == nil {
			t.Errorf("%+v is taken", o)
		}
	}
	gone := Outline{Name: "s", Inputs: []pipeline.StageInput{{Topic: "nothing"}}}
	if _, err := gone.Waiting(w.log); !errors.Is(err, ErrStart) {
		t.Error(err)
	}
}

// stateOf is all that the log keeps of a stage's first task.
func stateOf(w *world, name string) map[string]string {
	w.Helper()
	out := map[string]string{}
	w.must(w.log.States(store.TaskID{Stage: name}, func(key string, value []byte) error {
		out[key] = string(value)
		return nil
	}))
	return out
}
