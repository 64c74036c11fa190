package engine

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/runtime"
)

// A batch is written when it is full; one that is not waits for batch.timeout and no
// longer, unless the run drains: then nothing more is worth waiting for.
func TestSinkBatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.plan.Mode = pipeline.ModeContinuous
		out := &memorySink{}
		step := make(chan int)
		w.source("in", sourceFunc(func(ctx context.Context, emit Emit) error {
			i := 0
			for n := range step {
				group := make([]Emission, n)
				for j := range group {
					group[j] = (&listSource{}).emission(i)
					i++
				}
				if err := emit(ctx, group); err != nil {
					return err
				}
			}
			<-ctx.Done()
			return ctx.Err()
		}))
		s := w.sink("out", out, "in")
		s.BatchSize, s.BatchTimeout = 10, time.Minute
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan Outcome)
		go func() { ended <- w.engine().Run(ctx) }()

		step <- 25
		expect := func(why string, sizes ...int) {
			t.Helper()
			synctest.Wait()
			out.mu.Lock()
			defer out.mu.Unlock()
			if !slices.Equal(out.sizes, sizes) {
				t.Errorf("%s: batches of %v, want %v", why, out.sizes, sizes)
			}
		}
		expect("two are full", 10, 10)
		time.Sleep(59 * time.Second)
		expect("the third waits", 10, 10)
		time.Sleep(time.Second)
		expect("its time is over", 10, 10, 5)
		step <- 3
		close(step)
		expect("another one waits", 10, 10, 5)
		cancel()
		o := <-ended
		expect("the drain does not wait", 10, 10, 5, 3)
		w.balance(o)
		w.status(o, StatusInterrupted)
	})
}

// A refused batch is tried again with growing pauses, as often as the strictest of its
// edges says; then each message ends as its own edge says.
func TestSinkStrictestPolicyInAMixedBatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.opt.BackoffBase, w.opt.BackoffCap, w.opt.LetterBackoff = 100*time.Millisecond, 400*time.Millisecond, time.Millisecond
		var at []time.Duration
		start := time.Now()
		out := &memorySink{write: func(context.Context, []Record) error {
			at = append(at, time.Since(start))
			return errors.New("refused")
		}}
		w.source("a", &listSource{n: 1})
		w.source("b", &listSource{n: 1})
		s := w.sink("out", out, "a", "b")
		s.BatchSize, s.BatchTimeout = 2, time.Hour
		a, b := w.edgeOf("a", "out"), w.edgeOf("b", "out")
		a.Retries, a.Backoff, a.Required = 1, pipeline.BackoffConstant, false
		b.Retries, b.Backoff = 4, pipeline.BackoffExponential

		o := w.run()
		w.status(o, StatusPartial)
		for i := len(at) - 1; i >= 0; i-- {
			at[i] -= at[0]
		}
		want := []time.Duration{0, 100 * time.Millisecond, 300 * time.Millisecond, 700 * time.Millisecond, 1100 * time.Millisecond}
		if !slices.Equal(at, want) {
			t.Errorf("attempts at %v, want %v", at, want)
		}
		l := w.letters()
		if o.Balance.Dropped != 1 || len(l) != 1 || l[0].Edge != "b->out" || l[0].Class != "delivery" || l[0].Attempts != 5 || l[0].Reason != "refused" {
			t.Errorf("balance %+v, letters %+v", o.Balance, l)
		}
	})
}

// An attempt ends at its edge's timeout; the next one may succeed.
func TestSinkAttemptTimesOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		var attempts atomic.Int64
		out := &memorySink{write: func(ctx context.Context, _ []Record) error {
			if attempts.Add(1) < 3 {
				<-ctx.Done()
				return ctx.Err()
			}
			return nil
		}}
		w.source("in", &listSource{n: 1})
		w.sink("out", out, "in")
		w.edgeOf("in", "out").Timeout = 5 * time.Second
		o := w.run()
		w.status(o, StatusCompleted)
		if attempts.Load() != 3 || o.Retries != 2 || o.Duration < 10*time.Second {
			t.Errorf("%d attempts, outcome %+v", attempts.Load(), o)
		}
	})
}

// A message that cannot be encoded, or has no order key, ends alone: the others of its
// batch are written. Over an optional edge it is dropped.
func TestSinkEncodeAndKeyFailures(t *testing.T) {
	w := newWorld(t)
	out, optional := &memorySink{}, &memorySink{}
	w.source("in", &listSource{n: 10, group: 10})
	w.transform("raw", func(_ context.Context, m runtime.Message) (runtime.Result, error) {
		if number(m) == 3 {
			m.Codec = "raw"
		}
		return one(m), nil
	}, "in")
	s := w.sink("out", out, "raw")
	s.BatchSize = 10
	s.OrderKey = keyOf(func(m runtime.Message) (string, error) {
		if number(m) == 5 {
			return "", errors.New("no key")
		}
		return "k" + m.ID, nil
	})
	w.sink("optional", optional, "raw")
	w.edgeOf("raw", "optional").Required = false
	o := w.run()
	w.status(o, StatusPartial)
	if o.Balance.Delivered != 8+9 || o.Balance.Dropped != 1 || o.Balance.DeadLettered != 2 {
		t.Errorf("balance %+v", o.Balance)
	}
	var classes []string
	for _, l := range w.letters() {
		classes = append(classes, l.Class+" "+l.Message.ID)
	}
	slices.Sort(classes)
	if got := strings.Join(classes, ", "); got != "encode m3, predicate m5" {
		t.Errorf("letters %s", got)
	}
	if out.got[0].OrderKey != "km0" {
		t.Errorf("the order key is %q", out.got[0].OrderKey)
	}
}
