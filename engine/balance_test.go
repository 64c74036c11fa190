package engine

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/leat-run/leat/runtime"
	"github.com/leat-run/leat/store"
)

// Promise 9, the balance: admitted = committed + outstanding, and for committed messages
// the branches that were opened are those that ended, in whatever way. Several lives of one
// store, each cut off at another moment, with every ending there is: the books hold at the
// end of each, in memory and in the store, and in the end nothing is outstanding.
func TestPromise9TheBalanceHolds(t *testing.T) {
	w := newWorld(t)
	const lives, each = 6, 90
	var total Outcome
	w.source("in", nil)
	w.transform("guest", func(_ context.Context, m runtime.Message) (runtime.Result, error) {
		switch number(m) % 9 {
		case 0:
			return runtime.Result{Null: true}, nil
		case 1:
			return runtime.Result{}, nil
		case 2:
			return runtime.Result{}, guestFault("no")
		case 3:
			return runtime.Result{Out: []runtime.Message{m, m, m}}, nil
		}
		return one(m), nil
	}, "in")
	w.sink("out", nil, "guest")
	w.sink("optional", &memorySink{write: func(context.Context, []Record) error { return errors.New("no") }}, "guest")
	w.edgeOf("guest", "optional").Required, w.edgeOf("guest", "optional").Retries = false, 0
	w.plan.Limits.DrainTimeout = time.Nanosecond
	var admitted int64
	for life := range lives {
		w.sources["in"] = &listSource{n: (life + 1) * each, start: life * each, group: 7}
		ctx, cancel := context.WithCancel(t.Context())
		taken := 0
		w.sinks["out"] = &memorySink{write: func(ctx context.Context, _ []Record) error {
			if taken++; life < lives-1 && taken == 10*(life+1) {
				cancel()
				<-ctx.Done()
			}
			return ctx.Err()
		}}
		if _, err := w.store.Append([]store.Row{{Node: fmt.Sprint("gone", life), Message: runtime.Message{ID: "x"}}}); err != nil {
			t.Fatal(err)
		}
		admitted++
		total = w.runCtx(ctx)
		admitted += total.Read
		if life < lives-1 && total.Outstanding == 0 {
			t.Errorf("life %d was not cut off: %+v", life, total)
		}
		cancel()
	}
	b := total.Total
	if total.Outstanding != 0 || int64(b.Committed) != admitted || w.store.LastSeq() != runtime.Seq(admitted) {
		t.Errorf("%d were admitted, %d rows are in the store; the outcome is %+v", admitted, w.store.LastSeq(), total)
	}
	if b.Delivered == 0 || b.Null == 0 || b.NoOutput == 0 || b.Dropped == 0 || b.DeadLettered == 0 || b.Orphaned != lives {
		t.Errorf("some ending is missing: %+v", b)
	}
}

// Dead letters past dlq.retention are removed, once per window of progress; without one
// they are kept.
func TestDeadLetterRetention(t *testing.T) {
	for _, keep := range []time.Duration{0, time.Hour} {
		w := newWorld(t)
		now := time.Now()
		w.opt.Now = func() time.Time { return now }
		w.plan.DLQ.Retention, w.plan.Storage.SpoolRetention = keep, 10
		if err := w.store.PutLetter(store.DeadLetter{ID: "old", CreatedAt: now.Add(-2 * time.Hour)}); err != nil {
			t.Fatal(err)
		}
		if err := w.store.PutLetter(store.DeadLetter{ID: "young", CreatedAt: now.Add(-time.Minute)}); err != nil {
			t.Fatal(err)
		}
		w.source("in", &listSource{n: 3})
		w.sink("out", &memorySink{}, "in")
		w.status(w.run(), StatusCompleted)
		if l := w.letters(); len(l) != 2-min(int(keep), 1) || l[len(l)-1].ID != "young" {
			t.Errorf("retention %v leaves %+v", keep, l)
		}
	}
}

// Letters past their retention are looked for once per window of progress, not with every commit.
func TestLettersAreSweptOncePerWindow(t *testing.T) {
	w := newWorld(t)
	w.plan.DLQ.Retention, w.plan.Storage.SpoolRetention = time.Hour, 10
	old := store.DeadLetter{ID: "old", CreatedAt: time.Now().Add(-2 * time.Hour)}
	var e *Engine
	w.source("in", &listSource{n: 2500, after: func(i int) {
		switch i {
		case 2:
			waitFor(t, func() bool { return e.attempted.Load() >= 3 })
			must(t, w.store.PutLetter(old))
		case 500:
			waitFor(t, func() bool { return e.attempted.Load() >= 500 })
			if len(w.letters()) != 1 {
				t.Error("the letter was swept before the window was over")
			}
		}
	}})
	w.sink("out", &memorySink{}, "in")
	e = w.engine()
	w.status(e.Run(t.Context()), StatusCompleted)
	if len(w.letters()) != 0 {
		t.Error("the letter is still there after two windows")
	}
}
