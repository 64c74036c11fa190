package store

import (
	"sync"

	"github.com/leat-run/leat/runtime"
)

// ticket is what callers wait on: resolved exactly once, shared where calls coalesce.
type ticket struct {
	done chan struct{}
	err  error
}

func newTicket() *ticket { return &ticket{done: make(chan struct{})} }

func (t *ticket) resolve(err error) {
	t.err = err
	close(t.done)
}

// appendCall is one call of Append: its rows are encoded already, but for their headers.
type appendCall struct {
	*ticket
	bodies []byte
	ends   []int // of each body in bodies
	first  runtime.Seq
}

// stateCall is the latest state of one node.
type stateCall struct {
	*ticket
	node  string
	rank  uint64
	state []byte
}

// checkpointCall is the latest checkpoint.
type checkpointCall struct {
	*ticket
	checkpoint Checkpoint
}

// trimCall is the furthest trim.
type trimCall struct {
	*ticket
	through runtime.Seq
	flush   bool // the room is wanted now
}

// work is what one group carries.
type work struct {
	appends    []*appendCall
	checkpoint *checkpointCall
	trim       *trimCall
	states     []*stateCall
	letters    []*letterCall
	steps      []*stepCall
}

func (w *work) empty() bool {
	return len(w.appends)+len(w.states)+len(w.letters)+len(w.steps) == 0 && w.checkpoint == nil && w.trim == nil
}

// queue is what waits for the committer. Rows and letters keep their order; the rest
// coalesces. It is bounded by its callers: each waits for its answer, but for the states
// of SaveNodeState, of which there is one a node.
type queue struct {
	mu struct {
		sync.Mutex
		closed bool
		work
	}
	// latest is kept after the group was taken, so that a call which is behind waits for
	// the one that superseded it. Guarded by mu.
	latest struct {
		checkpoint *checkpointCall
		states     map[string]*stateCall
	}
	wake chan struct{} // one token: there is work, or the end
}

func newQueue() *queue {
	q := &queue{wake: make(chan struct{}, 1)}
	q.latest.states = map[string]*stateCall{}
	return q
}

// submit adds a call by f, which is run under the lock and returns what to wait on.
func (s *Store) submit(f func(*queue) *ticket) error {
	t, err := s.enqueue(f)
	if err != nil {
		return err
	}
	return s.wait(t)
}

func (s *Store) enqueue(f func(*queue) *ticket) (*ticket, error) {
	if err := s.Err(); err != nil {
		return nil, err
	}
	q := s.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.mu.closed {
		return nil, ErrClosed
	}
	t := f(q)
	q.signal()
	return t, nil
}

// wait returns the answer of a ticket. It takes no context on purpose (invariant 3).
func (s *Store) wait(t *ticket) error {
	select {
	case <-t.done:
		return t.err
	case <-s.failed:
		return s.lastWord(t, s.Err())
	case <-s.abandoned:
		return s.lastWord(t, ErrClosed)
	}
}

func (s *Store) lastWord(t *ticket, otherwise error) error {
	select {
	case <-t.done:
		return t.err
	default:
		return otherwise
	}
}

func (q *queue) signal() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// putAppend, putCheckpoint, putTrim, putState and putLetter run under the lock.
func (q *queue) putAppend(c *appendCall) *ticket {
	q.mu.appends = append(q.mu.appends, c)
	return c.ticket
}

func (q *queue) putCheckpoint(c Checkpoint) *ticket {
	if l := q.latest.checkpoint; l != nil && c.Through < l.checkpoint.Through {
		return l.ticket
	}
	if q.mu.checkpoint == nil {
		q.mu.checkpoint = &checkpointCall{ticket: newTicket()}
	}
	q.mu.checkpoint.checkpoint = c
	q.latest.checkpoint = q.mu.checkpoint
	return q.mu.checkpoint.ticket
}

func (q *queue) putTrim(through runtime.Seq, flush bool) *ticket {
	if q.mu.trim == nil {
		q.mu.trim = &trimCall{ticket: newTicket()}
	}
	q.mu.trim.through = max(q.mu.trim.through, through)
	q.mu.trim.flush = q.mu.trim.flush || flush
	return q.mu.trim.ticket
}

func (q *queue) putState(node string, rank uint64, state []byte) *ticket {
	latest := q.latest.states[node]
	if latest != nil && rank < latest.rank {
		return latest.ticket
	}
	for _, waiting := range q.mu.states {
		if waiting == latest {
			latest.rank, latest.state = rank, state
			return latest.ticket
		}
	}
	c := &stateCall{ticket: newTicket(), node: node, rank: rank, state: state}
	q.mu.states = append(q.mu.states, c)
	q.latest.states[node] = c
	return c.ticket
}

func (q *queue) putLetter(c *letterCall) *ticket {
	q.mu.letters = append(q.mu.letters, c)
	return c.ticket
}

func (q *queue) putStep(c *stepCall) *ticket {
	q.mu.steps = append(q.mu.steps, c)
	return c.ticket
}

// take waits for work and returns one group of it; ok is false once the queue is closed
// and empty. It gives rows yields turns of company.
func (q *queue) take(rows, yields int) (w work, ok bool) {
	for {
		q.awaitCompany(rows, yields)
		q.mu.Lock()
		w = q.cutLocked(rows)
		closed, more := q.mu.closed, len(q.mu.appends)+len(q.mu.letters)+len(q.mu.steps) > 0
		q.mu.Unlock()
		if !w.empty() {
			if more || closed {
				q.signal()
			}
			return w, true
		}
		if closed {
			return w, false
		}
		<-q.wake
	}
}

// cutLocked takes rows, letters and steps up to the bounds of a group, at least one call of each,
// and all the rest.
func (q *queue) cutLocked(rows int) work {
	w := q.mu.work
	q.mu.work = work{}
	count, size := 0, 0
	for i, c := range w.appends {
		if i > 0 && (count+len(c.ends) > rows || size+len(c.bodies) > groupBytes) {
			q.mu.appends = append([]*appendCall(nil), w.appends[i:]...)
			w.appends = w.appends[:i:i]
			break
		}
		count, size = count+len(c.ends), size+len(c.bodies)
	}
	for i, c := range w.letters {
		if i > 0 && size+len(c.body) > groupBytes {
			q.mu.letters = append([]*letterCall(nil), w.letters[i:]...)
			w.letters = w.letters[:i:i]
			break
		}
		size += len(c.body)
	}
	for i, c := range w.steps {
		if i > 0 && size+c.wb.Len() > groupBytes {
			q.mu.steps = append([]*stepCall(nil), w.steps[i:]...)
			w.steps = w.steps[:i:i]
			break
		}
		size += c.wb.Len()
	}
	return w
}

// close refuses the queued rows and steps and every later call. What coalesces and the letters
// still go into the last groups: they are about rows that are durable.
func (q *queue) close() {
	q.mu.Lock()
	refused, steps := q.mu.appends, q.mu.steps
	q.mu.appends, q.mu.steps, q.mu.closed = nil, nil, true
	q.mu.Unlock()
	q.signal()
	for _, c := range refused {
		c.resolve(ErrClosed)
	}
	for _, c := range steps {
		c.resolve(ErrClosed)
	}
}
