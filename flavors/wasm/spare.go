package wasm

import (
	"context"
	"sync"

	"github.com/leat-run/leat/runtime"
)

// spares keeps one started, unused instance of a module ready, so that a worker whose
// instance is spent goes on at once: while it works, the next one is made beside it. There
// is one per module, whatever the number of its workers, since each may hold as much
// memory as the budget allows; a worker that finds none makes its own.
//
// The goroutine that makes one ends by itself (a start is bounded); close waits for it.
type spares struct {
	start  func(context.Context) (*instance, error)
	ctx    context.Context // of the starts; close cancels it
	cancel context.CancelFunc
	making sync.WaitGroup
	mu     struct {
		sync.Mutex
		ready        *instance // or nil
		busy, closed bool      // one is being made; none is made any more
	}
}

func newSpares(start func(context.Context) (*instance, error)) *spares {
	s := &spares{start: start}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	return s
}

// put keeps the first instance, which Compile made. REQUIRES: none is kept.
func (s *spares) put(i *instance) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mu.ready = i
}

// take returns the spare and has the next one made, or makes an instance if there is none:
// also while one is being made, which another worker may be waiting for.
func (s *spares) take(ctx context.Context) (*instance, error) {
	if i := s.swap(); i != nil {
		return i, nil
	}
	return s.start(ctx)
}

// swap takes the spare, which may be nil, and starts to make another.
func (s *spares) swap() *instance {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := s.mu.ready
	s.mu.ready = nil
	if !s.mu.busy && !s.mu.closed {
		s.mu.busy = true
		s.making.Go(s.replenish)
	}
	return i
}

// replenish makes one spare. Its error is dropped: whoever then finds no spare makes an
// instance and has the same error first hand.
func (s *spares) replenish() {
	i, err := s.start(s.ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mu.busy = false
	if err == nil {
		s.mu.ready = i
	}
}

// close releases the spare. It waits for one that is being made.
func (s *spares) close() error {
	s.cancel()
	s.mu.Lock()
	s.mu.closed = true
	s.mu.Unlock()
	s.making.Wait()
	if i := s.mu.ready; i != nil {
		s.mu.ready = nil
		return i.Close()
	}
	return nil
}

// take returns a started, unused instance.
func (m *module) take(ctx context.Context, host runtime.Host) (*instance, error) {
	i, err := m.spares.take(ctx)
	if err != nil {
		return nil, named(m.name, err)
	}
	i.log.sink = host.Log
	return i, nil
}
