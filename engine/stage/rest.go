package stage

import (
	"context"
	"fmt"

	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/runtime"
	"github.com/leat-run/leat/store"
)

// Outline is the part of a stage's document that what a log keeps of the stage is told by. It has nothing of the
// guest, so that it can be sent to the log's owner.
type Outline struct {
	File, Name string
	Entry      runtime.Entry
	OnFailure  pipeline.OnFailure
	Inputs     []pipeline.StageInput
	Outputs    []pipeline.StageOutput
}

// nameMost bounds a name: no document's is longer.
const nameMost = 64

// OutlineOf is the outline of a document.
func OutlineOf(plan *pipeline.Stage) Outline {
	return Outline{plan.File, plan.Name, plan.Entry, plan.OnFailure, plan.Inputs, plan.Outputs}
}

// plan checks an outline that comes from elsewhere for what every document that loads has.
func (o Outline) plan() (*pipeline.Stage, error) {
	if o.Name == "" || len(o.Name) > nameMost {
		return nil, fmt.Errorf("stage: a stage's name has 1 to %d bytes, not %d", nameMost, len(o.Name))
	}
	if len(o.Inputs) == 0 {
		return nil, fmt.Errorf("stage: %s has no inputs", o.Name)
	}
	read := map[string]bool{}
	for _, in := range o.Inputs {
		if read[in.Topic] {
			return nil, fmt.Errorf("stage: %s reads %q twice", o.Name, in.Topic)
		}
		read[in.Topic] = true
	}
	return &pipeline.Stage{File: o.File, Name: o.Name, Entry: o.Entry, OnFailure: o.OnFailure, Inputs: o.Inputs, Outputs: o.Outputs}, nil
}

// Describe is Describe by an outline.
func (o Outline) Describe(log *store.Log) (Description, error) {
	plan, err := o.plan()
	if err != nil {
		return Description{}, err
	}
	return Describe(log, plan)
}

// Waiting is what the log holds for a stage that does not run.
type Waiting struct {
	Holds []Hold
	// Ready are the records that nothing keeps from the next run: a failure blocked them in the last, or what they
	// waited for is not read any more.
	Ready int64
}

// Waiting restores the stage's tasks, which writes nothing and needs no guest. REQUIRES: the stage does not run. A state
// and topics with which the stage could not start are an ErrStart, but for lost records.
func (o Outline) Waiting(log *store.Log) (w Waiting, err error) {
	plan, err := o.plan()
	if err != nil {
		return w, err
	}
	s, err := build(Options{Plan: plan, Log: log, AcceptLoss: true}, func(*task) error { return nil })
	if err != nil {
		return w, err
	}
	w = Waiting{Holds: s.Holds(), Ready: s.Counts().Held}
	for _, one := range w.Holds {
		w.Ready -= 1 + one.WaitingBehind
	}
	return w, s.Close()
}

// startGuest gives the task its instance of the guest.
func (t *task) startGuest(ctx context.Context) (err error) {
	s := t.stage
	t.worker, err = runtime.NewWorker(ctx, s.plan.Module, runtime.Host{Log: s.guestLog(t.id.Partition)}, nil)
	if err != nil {
		return fmt.Errorf("stage: %s: %w", s.plan.Entry, err)
	}
	return nil
}
