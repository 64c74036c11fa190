package engine

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/runtime"
)

// A paused run takes nothing from its sources, ends what is in flight, lets injections in
// and says that it is paused. Resume goes on where it stood; a drain ends a pause. Status
// counts what went along each edge.
func TestPauseHoldsTheSourcesOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.plan.Mode = pipeline.ModeContinuous
		var emitted atomic.Int64
		out := &memorySink{}
		w.source("in", sourceFunc(func(ctx context.Context, emit Emit) error {
			for i := 0; ; i++ {
				if err := emit(ctx, []Emission{(&listSource{}).emission(i)}); err != nil {
					return err
				}
				emitted.Add(1)
				time.Sleep(time.Second)
			}
		}))
		w.sink("out", out, "in")
		e := w.engine()
		ended := make(chan Outcome)
		go func() { ended <- e.Run(t.Context()) }()

		time.Sleep(10*time.Second + time.Millisecond)
		e.Pause()
		e.Pause()
		time.Sleep(time.Minute)
		before := emitted.Load()
		if s := e.Status(); s.State != StatePaused || s.InFlight != 0 || before < 10 {
			t.Errorf("paused: %d emitted, %+v", before, s)
		}
		if _, err := e.Inject(t.Context(), Injection{Node: "out", Message: runtime.Message{Payload: []byte("7"), Codec: "json"}}); err != nil {
			t.Error(err)
		}
		time.Sleep(time.Minute)
		if s := e.Status(); emitted.Load() != before || s.Balance.Delivered != uint64(before)+1 {
			t.Errorf("%d emitted before, %d now, %+v", before, emitted.Load(), s)
		}
		e.Resume()
		time.Sleep(10 * time.Second)
		s := e.Status()
		if s.State != StateRunning || emitted.Load() < before+9 || s.Edges[0] != (EdgeStatus{"in", "out", emitted.Load()}) {
			t.Errorf("resumed: %d emitted, %+v", emitted.Load(), s)
		}
		e.Pause()
		e.Drain()
		if o := <-ended; o.Status != StatusInterrupted || o.Outstanding != 0 {
			t.Errorf("outcome %+v", o)
		}
	})
}
