package engine

import (
	"context"
	"sync/atomic"
	"time"
)

// backpressure counts the admissions that had to wait for the gate.
type backpressure struct {
	waits, nanoseconds atomic.Int64 // that are over
	waiting            atomic.Int64 // now
}

// Backpressure says how often, and how long in all, admissions waited for room among the
// messages in flight; Waiting is how many do now.
type Backpressure struct {
	Waits   int64
	Waited  time.Duration
	Waiting int64
}

// slots takes slots of the gate for a group and waits for them; see Gate.
func (e *Engine) slots(ctx context.Context, messages int, bytes int64) error {
	w, err := e.gate.enter(ctx, e.intake.Done(), messages, bytes)
	if err != nil || w == nil {
		return err
	}
	began := time.Now()
	e.pressure.waiting.Add(1)
	err = e.gate.await(ctx, e.intake.Done(), w)
	e.pressure.waiting.Add(-1)
	e.pressure.waits.Add(1)
	e.pressure.nanoseconds.Add(int64(time.Since(began)))
	return err
}

func (b *backpressure) snapshot() Backpressure {
	return Backpressure{
		Waits: b.waits.Load(), Waited: time.Duration(b.nanoseconds.Load()), Waiting: b.waiting.Load(),
	}
}
