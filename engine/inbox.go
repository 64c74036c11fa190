package engine

import (
	"context"
	"sync"

	"github.com/leat-run/leat/runtime"
)

// delivery is one branch of a message on its way into a node.
type delivery struct {
	seq  runtime.Seq
	edge *edge
	// suspect marks a branch of a row that was in flight when the process died: it is run
	// in a child process first (see crashreplay.go).
	suspect bool
	msg     runtime.Message
}

// inbox is a node's queue. Each edge into the node has its own room in it, in messages and
// bytes, so that one busy edge cannot crowd out another; what has room is taken in the
// order in which it came. A pusher waits until half of its edge's room is free, so that the
// two sides do not wake each other for every message.
type inbox struct {
	mu struct {
		sync.Mutex
		items  deliveryQueue
		popped uint64 // deliveries taken so far: the ticket of the next one
	}
	ready chan struct{} // holds a token while items may wait
}

// lane is one edge's share of an inbox.
type lane struct {
	inbox    *inbox
	maxItems int
	maxBytes int64
	room     chan struct{} // holds a token after room became free
	// guarded by inbox.mu
	items   int
	bytes   int64
	waiting bool
}

func newInbox() *inbox { return &inbox{ready: make(chan struct{}, 1)} }

func (q *inbox) newLane(maxItems int, maxBytes int64) *lane {
	return &lane{inbox: q, maxItems: maxItems, maxBytes: maxBytes, room: make(chan struct{}, 1)}
}

// push hands deliveries over in order and waits for room. If ctx ends first the rest is
// not queued: it stays uncommitted and is replayed by the next run.
func (l *lane) push(ctx context.Context, items []delivery) error {
	for {
		n := l.accept(items)
		items = items[n:]
		if len(items) == 0 {
			return nil
		}
		select {
		case <-l.room:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// accept queues as many items as there is room for and returns how many.
func (l *lane) accept(items []delivery) int {
	q := l.inbox
	q.mu.Lock()
	n := 0
	for n < len(items) && l.fitsLocked(weigh(&items[n].msg)) {
		l.items++
		l.bytes += weigh(&items[n].msg)
		n++
	}
	q.mu.items.push(items[:n])
	l.waiting = n < len(items)
	q.mu.Unlock()
	if n > 0 {
		token(q.ready)
	}
	if n < len(items) {
		return n
	}
	token(l.room) // another pusher of this edge may wait for what is left
	return n
}

func (l *lane) fitsLocked(bytes int64) bool {
	return l.items == 0 || l.items < l.maxItems && l.bytes+bytes <= l.maxBytes
}

// pop appends up to most deliveries to buf, waiting for the first, and ends with ctx's
// error. ticket numbers the first delivery; the others follow without a gap.
func (q *inbox) pop(ctx context.Context, buf []delivery, most int) (got []delivery, ticket uint64, err error) {
	for {
		if got, ticket = q.take(buf, most); len(got) > len(buf) {
			return got, ticket, nil
		}
		select {
		case <-q.ready:
		case <-ctx.Done():
			return buf, 0, ctx.Err()
		}
	}
}

// waiting is the number of queued deliveries.
func (q *inbox) waiting() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.mu.items.len
}

// take is pop without waiting.
func (q *inbox) take(buf []delivery, most int) ([]delivery, uint64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	before := len(buf)
	buf = q.mu.items.pop(buf, most)
	taken := buf[before:]
	for i := range taken {
		q.leaveLocked(taken[i].edge.lane, weigh(&taken[i].msg))
	}
	ticket := q.mu.popped
	q.mu.popped += uint64(len(taken))
	if q.mu.items.len > 0 {
		token(q.ready) // another worker can take what is left
	}
	return buf, ticket
}

func (q *inbox) leaveLocked(l *lane, bytes int64) {
	l.items--
	l.bytes -= bytes
	if l.waiting && l.items <= l.maxItems/2 && l.bytes <= l.maxBytes/2 {
		l.waiting = false
		token(l.room)
	}
}

// weigh is what a message counts for in every bound that is given in bytes.
func weigh(m *runtime.Message) int64 {
	n := len(m.Payload) + len(m.Key)
	for k, v := range m.Meta {
		n += len(k) + len(v)
	}
	return int64(n)
}

// token puts a token into a channel of one, if there is none.
func token(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
