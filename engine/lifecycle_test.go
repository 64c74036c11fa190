package engine

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/runtime"
)

// endless emits until the run stops it.
func endless(emitted *atomic.Int64) Source {
	return sourceFunc(func(ctx context.Context, emit Emit) error {
		for i := 0; ; i++ {
			if err := emit(ctx, []Emission{(&listSource{}).emission(i)}); err != nil {
				return err
			}
			emitted.Add(1)
		}
	})
}

// C57: a cancel in the middle of a batch, with a transform of 200 ms. The run drains within
// its limit; every message that was accepted is delivered and committed, none is both
// committed and unsent.
func TestC57DrainLosesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.plan.Mode = pipeline.ModeContinuous
		w.plan.Limits.MaxInFlight = 20
		var emitted atomic.Int64
		out := &memorySink{}
		w.source("in", endless(&emitted))
		w.transform("slow", func(_ context.Context, m runtime.Message) (runtime.Result, error) {
			time.Sleep(200 * time.Millisecond)
			return one(m), nil
		}, "in")
		s := w.sink("out", out, "slow")
		s.BatchSize, s.BatchTimeout = 7, time.Hour
		ctx, cancel := context.WithTimeout(t.Context(), 3100*time.Millisecond)
		defer cancel()
		o := w.runCtx(ctx)
		w.status(o, StatusInterrupted)
		if o.Outstanding != 0 || len(out.got) != int(emitted.Load()) || int64(o.Balance.Delivered) != emitted.Load() || emitted.Load() < 20 {
			t.Errorf("%d emitted, %d delivered, outcome %+v", emitted.Load(), len(out.got), o)
		}
	})
}

// A drain that takes too long is ended hard: what is in flight stays uncommitted, and the
// next run replays exactly that.
func TestDrainTimeoutLeavesTheRestToTheNextRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.plan.Limits.DrainTimeout = time.Second
		out := &memorySink{}
		w.source("in", &listSource{n: 5, group: 5})
		w.transform("hangs", func(ctx context.Context, m runtime.Message) (runtime.Result, error) {
			if number(m) == 2 {
				<-ctx.Done()
				return runtime.Result{}, ctx.Err()
			}
			return one(m), nil
		}, "in")
		w.sink("out", out, "hangs")
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		o := w.runCtx(ctx)
		w.status(o, StatusInterrupted)
		left := o.Outstanding
		if left < 3 || o.Checkpoint != runtime.Seq(5-left) || o.Duration < time.Minute+time.Second {
			t.Fatalf("outcome %+v", o)
		}
		w.plan.Transforms[0].Module = &testModule{apply: identity}
		w.sources["in"] = &listSource{}
		o = w.run()
		w.status(o, StatusCompleted)
		if int(o.Replayed) != left || o.Outstanding != 0 || strings.Join(out.ids(), " ") != "m0 m1 m2 m3 m4" {
			t.Errorf("outcome %+v, delivered %v", o, out.ids())
		}
	})
}

// A node that ignores its context does not hold the end of the run up for ever: the
// outcome names it.
func TestStuckNodeIsLeftBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.plan.Limits.DrainTimeout = time.Second
		w.opt.Grace = time.Second
		until := make(chan struct{})
		w.source("in", &listSource{n: 1})
		w.sink("out", &memorySink{write: func(context.Context, []Record) error { <-until; return nil }}, "in")
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		o := w.engine().Run(ctx)
		w.status(o, StatusFailed)
		if o.Cause != FailureWorker || !strings.Contains(o.Failure, "does not stop") {
			t.Errorf("outcome %+v", o)
		}
		close(until)
		synctest.Wait()
	})
}

// One classification of the end, in its order: a node that cannot go on, a source that
// failed, the caller's cancel, dead letters, completed.
func TestOutcomeClassification(t *testing.T) {
	boom := errors.New("boom")
	for _, c := range []struct {
		name   string
		break_ func(w *world)
		want   Status
		cause  FailureCause
		text   string
	}{
		{"completed", func(*world) {}, StatusCompleted, "", ""},
		{"partial", func(w *world) {
			w.plan.Transforms[0].Module = &testModule{apply: func(context.Context, runtime.Message) (runtime.Result, error) {
				return runtime.Result{}, guestFault("no")
			}}
		}, StatusPartial, "", ""},
		{"a source fails", func(w *world) {
			w.sources["in"] = sourceFunc(func(context.Context, Emit) error { return boom })
		}, StatusFailed, FailureSource, "in: boom"},
		{"a source fails in a continuous run", func(w *world) {
			w.plan.Mode = pipeline.ModeContinuous
			w.sources["in"] = sourceFunc(func(context.Context, Emit) error { return boom })
		}, StatusFailed, FailureSource, "in: boom"},
		{"a module cannot start", func(w *world) {
			w.plan.Transforms[0].Module = &testModule{instantiate: func() error { return boom }}
		}, StatusFailed, FailureWorker, "engine: transform guest: boom"},
		{"an instance cannot be replaced", func(w *world) {
			made := 0
			w.plan.Transforms[0].Module = &testModule{
				instantiate: func() error {
					if made++; made > 1 {
						return boom
					}
					return nil
				},
				apply: func(context.Context, runtime.Message) (runtime.Result, error) {
					return runtime.Result{}, guestFault("no")
				},
			}
		}, StatusFailed, FailureWorker, "guest: runtime: no instance can be made: boom"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			w.source("in", &listSource{n: 3})
			w.transform("guest", identity, "in")
			w.sink("out", &memorySink{}, "guest")
			c.break_(w)
			o := w.run()
			if o.Status != c.want || o.Cause != c.cause || o.Failure != c.text {
				t.Errorf("%s/%s/%q, want %s/%s/%q", o.Status, o.Cause, o.Failure, c.want, c.cause, c.text)
			}
		})
	}
}

// A source that fails stops the intake, and what was accepted is still delivered.
func TestSourceFailureDrains(t *testing.T) {
	w := newWorld(t)
	out := &memorySink{}
	w.source("in", sourceFunc(func(ctx context.Context, emit Emit) error {
		if err := emit(ctx, []Emission{{Payload: []byte(`{"i":0}`)}}); err != nil {
			return err
		}
		return errors.New("gone")
	}))
	w.transform("guest", identity, "in")
	w.sink("out", out, "guest")
	o := w.run()
	w.status(o, StatusFailed)
	if len(out.got) != 1 || o.Outstanding != 0 {
		t.Errorf("%d delivered, outcome %+v", len(out.got), o)
	}
}

// An engine runs once.
func TestRunTwice(t *testing.T) {
	w := newWorld(t)
	w.source("in", &listSource{})
	w.sink("out", &memorySink{}, "in")
	e := w.engine()
	w.status(e.Run(t.Context()), StatusCompleted)
	w.status(e.Run(t.Context()), StatusFailed)
}

// A call that runs longer than the threshold is logged once, while it runs.
func TestSlowCallIsToldWhileItRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var text lockedBuffer
		w := newWorld(t)
		w.opt.Log = slog.New(slog.NewTextHandler(&text, nil))
		w.plan.Telemetry.SlowCall = time.Second
		told := ""
		w.source("in", &listSource{n: 3})
		w.transform("guest", func(_ context.Context, m runtime.Message) (runtime.Result, error) {
			time.Sleep(900 * time.Millisecond)
			if number(m) == 1 {
				time.Sleep(10 * time.Second)
				told = text.String()
			}
			return one(m), nil
		}, "in")
		w.sink("out", &memorySink{}, "guest")
		w.status(w.run(), StatusCompleted)
		if strings.Count(told, "a call runs long") != 1 || strings.Count(text.String(), "a call runs long") != 1 || !strings.Contains(told, "node=guest") {
			t.Errorf("while it ran: %q, at the end: %q", told, text.String())
		}
	})
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// dlq.stop_after ends the run as failed, instead of moving a whole input into the dead
// letters.
func TestFloodStopsTheRun(t *testing.T) {
	w := newWorld(t)
	w.plan.DLQ.StopFailures, w.plan.DLQ.StopWindow = 10, 50
	w.source("in", &listSource{n: 10_000, group: 10})
	w.transform("guest", func(_ context.Context, m runtime.Message) (runtime.Result, error) {
		if i := number(m); i < 1000 && i%10 == 0 || i > 2000 && i%3 == 0 {
			return runtime.Result{}, guestFault("no")
		}
		return one(m), nil
	}, "in")
	w.sink("out", &memorySink{}, "guest")
	o := w.run()
	w.status(o, StatusFailed)
	if o.Cause != FailureFlood || o.Letters < 110 || o.Letters > 120 {
		t.Errorf("outcome %+v", o)
	}
}
