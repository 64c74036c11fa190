package engine

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/runtime"
	"github.com/leat-run/leat/store"
)

// Rows that were in flight at an unclean stop stay suspects until they ended: a run that cannot
// start, and one that is stopped before it came to all of them, leave them to the next. Once
// they ended, nobody is suspect.
func TestSuspectsAreLeftToTheNextRun(t *testing.T) {
	w := newWorld(t)
	var inProcess, inChild atomic.Int64
	count := func(calls *atomic.Int64) *testModule {
		return &testModule{apply: func(_ context.Context, m runtime.Message) (runtime.Result, error) {
			calls.Add(1)
			return one(m), nil
		}}
	}
	w.opt.Isolated = func(context.Context, *pipeline.Transform) (runtime.Module, error) { return count(&inChild), nil }
	w.source("in", &listSource{})
	guest := w.transform("guest", nil, "in")
	w.sink("out", &memorySink{}, "guest")
	spoolRows(t, w.store, 5)
	must(t, w.store.SetNodeState(runMarker, firstRank(), []byte(markRunning)))

	guest.Module = &testModule{instantiate: func() error { return errors.New("the module is gone") }}
	w.status(w.run(), StatusFailed)

	guest.Module = count(&inProcess)
	w.plan.Limits.MaxInFlight = 1
	var e *Engine
	ctx, cancel := context.WithCancel(t.Context())
	w.sinks["out"] = &memorySink{write: func(context.Context, []Record) error {
		cancel()
		waitFor(t, func() bool { return e.intake.Err() != nil })
		return nil
	}}
	e = w.engine()
	w.status(e.Run(ctx), StatusInterrupted)
	if inChild.Load() != 1 || inProcess.Load() != 0 {
		t.Fatalf("%d ran in a child and %d in process before the stop, want 1 and 0", inChild.Load(), inProcess.Load())
	}

	w.sinks["out"] = &memorySink{}
	w.status(w.run(), StatusCompleted)
	if inChild.Load() != 5 || inProcess.Load() != 0 {
		t.Errorf("%d suspects ran in a child, %d in process", inChild.Load(), inProcess.Load())
	}
	spoolRows(t, w.store, 2)
	w.status(w.run(), StatusCompleted)
	if inChild.Load() != 5 || inProcess.Load() != 2 {
		t.Errorf("after they ended: %d in a child, %d in process", inChild.Load(), inProcess.Load())
	}
}

// spoolRows puts n rows of the source "in" into the spool, as a run that was cut off leaves them.
func spoolRows(t *testing.T, st *store.Store, n int) {
	t.Helper()
	var rows []store.Row
	for i := range n {
		e := (&listSource{}).emission(i)
		rows = append(rows, store.Row{Node: "in", Message: runtime.Message{ID: e.ID, Payload: e.Payload, Codec: "json"}})
	}
	if _, err := st.Append(rows); err != nil {
		t.Fatal(err)
	}
}
