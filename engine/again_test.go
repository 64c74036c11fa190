package engine

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/runtime"
	"github.com/leat-run/leat/store"
)

// branching makes a world in -> t -> {u, v} -> out whose one message failed at t; broken
// names the nodes that fail from now on.
func branching(t *testing.T) (w *world, broken *atomic.Pointer[string]) {
	w, broken = newWorld(t), &atomic.Pointer[string]{}
	fails := func(nodes string) { broken.Store(&nodes) }
	fails("t")
	step := func(name string) func(context.Context, runtime.Message) (runtime.Result, error) {
		return func(_ context.Context, m runtime.Message) (runtime.Result, error) {
			if strings.Contains(*broken.Load(), name) {
				return runtime.Result{}, guestFault("not yet")
			}
			m.Payload = append(slices.Clone(m.Payload), ' ') // what enters the next node is another message
			return one(m), nil
		}
	}
	w.source("in", &listSource{n: 1})
	w.transform("t", step("t"), "in")
	w.transform("u", step("u"), "t")
	w.transform("v", step("v"), "t")
	w.sink("out", &memorySink{}, "u", "v")
	w.status(w.run(), StatusPartial)
	w.sources["in"] = &listSource{}
	return w, broken
}

func (w *world) lettersAt() (nodes []string) {
	for _, l := range w.letters() {
		nodes = append(nodes, l.Node)
	}
	slices.Sort(nodes)
	return nodes
}

// A letter that passes its node and fails further down has failed again: its record moves to
// the node that failed, with the message as it entered that one, wherever the replay entered
// and whether or not it was to be deleted.
func TestReplayFailsFurtherDown(t *testing.T) {
	for _, at := range []string{"", "in", "t"} {
		for _, remove := range []bool{false, true} {
			w, broken := branching(t)
			first := w.letters()[0]
			later := "u"
			broken.Store(&later)
			result, o := w.replay(ReplayRequest{At: at, Delete: remove})
			w.status(o, StatusPartial)
			if r := result.Letters[0]; result.Committed != 0 || result.FailedAgain != 1 || r.After != "other" || r.At != "u" || r.Failure != r.Before {
				t.Errorf("at %q: %+v", at, result)
			}
			all := w.letters()
			if len(all) != 1 {
				t.Fatalf("at %q: %d letters of one message", at, len(all))
			}
			l := all[0]
			if l.ID != first.ID || l.Node != "u" || l.Edge != "t->u" || l.ReplayCount != 1 || len(l.Message.Meta) != 0 ||
				string(l.Message.Payload) != string(first.Message.Payload)+" " || !l.CreatedAt.Equal(first.CreatedAt) {
				t.Errorf("at %q: the letter is %+v", at, l)
			}
			none := "-"
			broken.Store(&none)
			result, o = w.replay(ReplayRequest{Delete: true})
			w.status(o, StatusCompleted)
			if result.Committed != 1 || len(w.letters()) != 0 {
				t.Errorf("at %q: %+v, %d letters", at, result, len(w.letters()))
			}
		}
	}
}

// A replay that fails in two branches has two letters, however often a crash runs it again.
func TestReplayFailsInTwoBranches(t *testing.T) {
	w, broken := branching(t)
	later := "uv"
	broken.Store(&later)
	result, o := w.replay(ReplayRequest{Delete: true})
	w.status(o, StatusPartial)
	if result.FailedAgain != 1 || len(result.Letters) != 1 || !slices.Equal(w.lettersAt(), []string{"u", "v"}) {
		t.Errorf("%+v, letters at %v", result, w.lettersAt())
	}
}

// Each order of two failures, each cut off by a crash after one of the records was written,
// ends with one record for each.
func TestReplayInTwoBranchesIsRunAgain(t *testing.T) {
	for range 20 { // the order of the branches is the scheduler's
		w, broken := branching(t)
		first := w.letters()[0]
		row := store.Row{Node: "t", Inject: true, Letter: first.ID, DeleteLetter: true, Message: first.Message}
		later := "uv"
		broken.Store(&later)
		w.opt.Feed = nil
		if _, err := w.store.Append([]store.Row{row}); err != nil {
			t.Fatal(err)
		}
		seq := w.store.LastSeq()
		w.status(w.run(), StatusPartial)
		second := w.letters()
		// The checkpoint of that run is lost, and maybe one of its records.
		for _, lost := range []string{"", first.ID, other(second, first.ID)} {
			e := w.engine()
			e.letters.add(&letterRow{seq: seq, id: first.ID, node: "t", delete: true})
			var err error
			switch lost {
			case "":
			case first.ID:
				err = w.store.PutLetter(first) // as it was before the replay
			default:
				err = w.store.DeleteLetters(lost)
			}
			if err != nil {
				t.Fatal(err)
			}
			for _, l := range slices.Backward(second) {
				failAgain(t, e, seq, l)
			}
			if nodes := w.lettersAt(); !slices.Equal(nodes, []string{"u", "v"}) {
				t.Fatalf("with %q lost: letters at %v", lost, nodes)
			}
		}
	}
}

func other(letters []store.DeadLetter, id string) string {
	for _, l := range letters {
		if l.ID != id {
			return l.ID
		}
	}
	return ""
}

// failAgain writes the record of the branch whose record is l.
func failAgain(t *testing.T, e *Engine, seq runtime.Seq, l store.DeadLetter) {
	t.Helper()
	m := l.Message
	record, err := e.letter(&fault{
		seq: seq, msg: &m, node: l.Node, edge: &edge{Edge: &pipeline.Edge{From: "t", To: l.Node}}, class: l.Class, failure: l.Failure, attempts: 1,
	})
	if err == nil {
		err = e.store.PutLetter(record)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// A letter that somebody deleted since it was chosen is skipped, and holds back no others.
func TestReplayOfALetterThatIsGone(t *testing.T) {
	w, _, fixed := failing(t)
	fixed.Store(true)
	result, o := w.replay(ReplayRequest{IDs: []string{"gone", w.letters()[0].ID}, Delete: true})
	w.status(o, StatusCompleted)
	if result.Selected != 2 || result.Committed != 1 || result.Skipped != 1 || result.Letters[0].Failure.Reason != wentMeanwhile {
		t.Errorf("result %+v", result)
	}
}

// What Replay returns when it is interrupted is what was known then; Now says what the run did
// with the letters until its end.
func TestInterruptedReplayIsReportedAfterTheDrain(t *testing.T) {
	w, _, fixed := failing(t)
	fixed.Store(true)
	entered, release := make(chan struct{}, 3), make(chan struct{})
	w.plan.Transforms[0].Module = &testModule{apply: func(_ context.Context, m runtime.Message) (runtime.Result, error) {
		entered <- struct{}{}
		<-release
		return one(m), nil
	}}
	ctx, cancel := context.WithCancel(t.Context())
	var early ReplayResult
	w.opt.Feed = func(ctx context.Context, e *Engine) (err error) {
		defer close(release)
		early, err = e.Replay(ctx, ReplayRequest{Delete: true})
		return err
	}
	go func() { <-entered; cancel() }()
	w.runCtx(ctx)
	if early.Committed != 0 || early.Skipped != 3 {
		t.Errorf("at the interrupt: %+v", early)
	}
	if now := early.Now(); now.Committed != 3 || now.Skipped != 0 || now.Letters[0].After != "fixed" || len(w.letters()) != 0 {
		t.Errorf("after the drain: %+v", now)
	}
}

// The letter of a replay that a crash cut off stays where the node of its row is gone: the row ends
// as orphaned, and nothing else is left of the message.
func TestReplayOfAnOrphanKeepsItsLetter(t *testing.T) {
	w, _, _ := failing(t)
	l := w.letters()[0]
	row := store.Row{Node: "gone", Inject: true, Letter: l.ID, DeleteLetter: true, Message: l.Message}
	if _, err := w.store.Append([]store.Row{row}); err != nil {
		t.Fatal(err)
	}
	w.opt.Feed = nil
	o := w.run()
	w.status(o, StatusCompleted)
	if o.Balance.Orphaned != 1 || len(w.letters()) != 3 {
		t.Errorf("%d letters of 3 are left, outcome %+v", len(w.letters()), o)
	}
}

// A letter that was deleted while its replay was on its way, be it by a crash between the deletion
// and the checkpoint, comes back with the count of its replays: it is quarantined in time, and its
// message is not marked as the replay that it was.
func TestReplayOfALetterThatWentCountsOn(t *testing.T) {
	w, _, _ := failing(t)
	l := w.letters()[0]
	must(t, w.store.DeleteLetters(l.ID))
	m := l.Message
	m.Meta = replayMeta(&m, 5, l.SpoolSeq)
	if _, err := w.store.Append([]store.Row{{Node: "guest", Inject: true, Letter: l.ID, DeleteLetter: true, Message: m}}); err != nil {
		t.Fatal(err)
	}
	w.opt.Feed = nil
	w.status(w.run(), StatusPartial)
	back, err := w.store.Letter(l.ID)
	if err != nil || back.ReplayCount != 5 || !back.Quarantined || len(back.Message.Meta) != 0 || back.Edge != "" {
		t.Errorf("the letter is %+v, %v", back, err)
	}
}
