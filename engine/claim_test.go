package engine

import (
	"context"
	goruntime "runtime"
	"testing"

	"github.com/leat-run/leat/store"
)

// Two replays of the same letters at the same time send each letter once: whoever comes
// second skips it and says so. A letter that an earlier run was cut off in the replay of
// is waited for, and is gone when letters are selected.
func TestReplaysOfOneLetterDoNotMeet(t *testing.T) {
	w, out, fixed := failing(t)
	fixed.Store(true)
	leftover := w.letters()[0]
	if _, err := w.store.Append([]store.Row{{
		Node: "guest", Inject: true, Letter: leftover.ID, DeleteLetter: true, Message: leftover.Message,
	}}); err != nil {
		t.Fatal(err)
	}
	both := make(chan struct{})
	out.write = func(context.Context, []Record) error { <-both; return nil }
	var first, second ReplayResult
	w.opt.Feed = func(ctx context.Context, e *Engine) error {
		done := make(chan error)
		ids := []string{w.letters()[1].ID, w.letters()[2].ID}
		go func() {
			var err error
			first, err = e.Replay(ctx, ReplayRequest{IDs: ids, Delete: true})
			done <- err
		}()
		for e.Status().Injected < 2 {
			goruntime.Gosched()
		}
		var err error
		second, err = e.Replay(ctx, ReplayRequest{IDs: append(ids, leftover.ID), Delete: true})
		close(both)
		if err := e.AwaitLeftovers(ctx); err != nil {
			return err
		}
		if _, gone := e.store.Letter(leftover.ID); gone == nil {
			t.Error("the leftover's letter is still there")
		}
		if err != nil {
			return err
		}
		return <-done
	}
	w.status(w.run(), StatusCompleted)
	if first.Committed != 2 || second.Skipped != 3 || second.Letters[0].Failure.Reason != "it is being replayed already" {
		t.Errorf("first %+v, second %+v", first, second)
	}
	if len(out.got) != 9 || len(w.letters()) != 0 {
		t.Errorf("%d delivered, %d letters left", len(out.got), len(w.letters()))
	}
}
