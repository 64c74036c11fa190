package engine

import (
	"context"

	"github.com/leat-run/leat/runtime"
)

// batch is what a worker hands to an instance that takes several messages at once.
type batch struct {
	in      []runtime.Message
	answers []runtime.Answer
}

// together returns how many of the first deliveries go into the guest at once: 1, unless the
// instance gains from more. They are as many as should be through within flushAfter, so that
// nobody waits for what comes behind it. A suspect goes alone, into a child of its own.
func (w *worker) together(got []delivery) int {
	if len(got) < 2 || !w.instance.Batches() {
		return 1
	}
	most := len(got)
	if w.pace > 0 {
		most = min(most, int(flushAfter/w.pace))
	}
	for n := range most {
		if got[n].suspect && w.node.dangerous() {
			return max(n, 1)
		}
	}
	return max(most, 1)
}

// processAll brings deliveries to their end in this node, in order.
func (w *worker) processAll(ctx context.Context, got []delivery) error {
	if len(got) == 1 {
		return w.process(ctx, &got[0])
	}
	answers := w.applyAll(ctx, got)
	defer clear(answers)
	for i := range got {
		d, a := &got[i], &answers[i]
		w.account(d, &a.Result, a.Err)
		if err := w.conclude(ctx, d, a.Result, a.Err); err != nil {
			return err
		}
	}
	return nil
}

// applyAll is the first attempt of each.
func (w *worker) applyAll(ctx context.Context, got []delivery) []runtime.Answer {
	b := &w.batch
	b.in = b.in[:0]
	for i := range got {
		b.in = append(b.in, got[i].msg)
	}
	if cap(b.answers) < len(got) {
		b.answers = make([]runtime.Answer, len(got), chunkDeliveries)
	}
	answers := b.answers[:len(got)]
	w.call.Add(1)
	w.instance.ApplyBatch(ctx, b.in, answers)
	w.call.Add(1)
	clear(b.in)
	return answers
}
