package engine

import (
	"context"
)

// AwaitLeftovers returns once no replay of a dead letter is on its way that an earlier run
// was cut off in: the rows that a crash left were run again, and their letters are gone or
// up to date. Whoever selects letters to replay does so after it, or would send those twice.
func (e *Engine) AwaitLeftovers(ctx context.Context) error {
	w := e.letters.leftovers()
	if w == nil {
		return nil
	}
	return e.await(ctx, w, "await replayed letters")
}

// leftovers is a waiter for the rows that nobody waits for; nil if there is none.
func (l *letterLedger) leftovers() *letterWaiter {
	l.mu.Lock()
	defer l.mu.Unlock()
	w := newLetterWaiter(0)
	for _, r := range l.rows {
		if r.waiter == nil {
			r.waiter = w
			w.left++
		}
	}
	if w.left == 0 {
		return nil
	}
	return w
}
