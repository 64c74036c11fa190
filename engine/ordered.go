package engine

import (
	"context"
	"time"
)

const (
	// orderedChunk is how many messages one of several workers takes at once.
	orderedChunk = 16
	// slowMessage is the pace from which a worker takes messages one by one, so that
	// others can take the next.
	slowMessage = 200 * time.Microsecond
)

// runOrdered is run for a node with several workers whose outputs keep their order.
func (w *worker) runOrdered(ctx context.Context) error {
	s := w.node.sequencer
	buf := make([]delivery, 0, orderedChunk)
	for s.wait(ctx) == nil {
		got, ticket, err := w.node.inbox.pop(ctx, buf[:0], w.chunk())
		if err != nil {
			return nil
		}
		s.took(len(got))
		if err := w.processOrdered(ctx, got, ticket); err != nil {
			return stopped(ctx, err)
		}
		clear(got)
	}
	return nil
}

// processOrdered hands results over in as few parcels as flushAfter allows.
func (w *worker) processOrdered(ctx context.Context, got []delivery, ticket uint64) error {
	done := 0
	for i := 0; i < len(got); {
		n := w.together(got[i:])
		if err := w.processAll(ctx, got[i:i+n]); err != nil {
			w.hand(ctx, ticket, done) // what ended, ended; in its turn
			return err
		}
		i, done = i+n, done+n
		if w.due() || i == len(got) {
			w.hand(ctx, ticket, done)
			ticket, done = ticket+uint64(done), 0
		}
	}
	return nil
}

// hand gives what is collected to the sequencer.
func (w *worker) hand(ctx context.Context, ticket uint64, n int) {
	s := w.node.sequencer
	s.put(ctx, parcel{ticket: ticket, n: n, out: w.out})
	w.out, w.spent = s.outbox(w.node.engine, &w.node.out), 0
}

// chunk shares what waits among the workers.
func (w *worker) chunk() int {
	if w.pace > slowMessage {
		return 1
	}
	return min(orderedChunk, 1+w.node.inbox.waiting()/(2*w.node.plan.Workers))
}
