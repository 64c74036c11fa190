package engine

import (
	"context"
	"sync"
)

// sequencer lets the workers of a node finish out of order and emits their results in the
// order in which the messages entered. Whoever completes the head emits it and what waits
// behind it; the others put their results down and take the next message. How far the
// fastest may be ahead of the slowest is bounded in messages and bytes.
type sequencer struct {
	window   int
	maxBytes int64
	room     chan struct{} // holds a token after room became free
	free     pool[*outbox]

	mu struct {
		sync.Mutex
		next     uint64 // ticket of the next message to be emitted
		ahead    int    // messages taken and not emitted
		bytes    int64  // in held
		held     map[uint64]parcel
		emitting bool
	}
}

// parcel is the result of neighbouring tickets.
type parcel struct {
	ticket uint64
	n      int
	out    *outbox
}

func newSequencer(window int, maxBytes int64) *sequencer {
	s := &sequencer{window: window, maxBytes: maxBytes, room: make(chan struct{}, 1)}
	s.mu.held = map[uint64]parcel{}
	return s
}

// wait returns once another message may be taken. It looks, and does not reserve: the
// window can be passed by one chunk per worker.
func (s *sequencer) wait(ctx context.Context) error {
	for !s.open() {
		select {
		case <-s.room:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	token(s.room) // for the next worker that waits
	return ctx.Err()
}

func (s *sequencer) open() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.mu.ahead == 0 || s.mu.ahead < s.window && s.mu.bytes < s.maxBytes
}

// took says that n messages left the inbox.
func (s *sequencer) took(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mu.ahead += n
}

// put hands a result over. The outbox belongs to the sequencer from then on.
func (s *sequencer) put(ctx context.Context, p parcel) {
	for ok := s.enter(p); ok; p, ok = s.advance(p) {
		_ = p.out.flush(ctx) // what is not queued stays uncommitted
		s.free.put(p.out)
	}
}

// enter makes the caller the emitter if p is the head, and keeps p otherwise.
func (s *sequencer) enter(p parcel) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.mu.emitting && p.ticket == s.mu.next {
		s.mu.emitting = true
		return true
	}
	s.mu.held[p.ticket] = p
	s.mu.bytes += p.out.weight
	return false
}

// advance moves behind p, which was emitted, and returns the next head if it is there.
func (s *sequencer) advance(p parcel) (parcel, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mu.next += uint64(p.n)
	s.mu.ahead -= p.n
	next, ok := s.mu.held[s.mu.next]
	if ok {
		delete(s.mu.held, s.mu.next)
		s.mu.bytes -= next.out.weight
	}
	s.mu.emitting = ok
	token(s.room)
	return next, ok
}

// settle tells the tracker what ended in results that were never emitted. Their outputs stay
// uncommitted: a worker that was left behind, and ends after all, does not emit them.
func (s *sequencer) settle(e *Engine) {
	s.mu.Lock()
	held := s.mu.held
	s.mu.held, s.mu.bytes = map[uint64]parcel{}, 0
	s.mu.Unlock()
	for _, p := range held {
		e.apply(p.out.events)
	}
}

// outbox returns an empty one.
func (s *sequencer) outbox(e *Engine, r *router) *outbox {
	return s.free.get(func() *outbox { return e.newOutbox(r) })
}
