package engine

import (
	"context"
	"sync"
)

// hold keeps sources waiting at the entry while a run is paused.
type hold struct {
	mu      sync.Mutex
	resumed chan struct{} // closed by Resume; nil while the run is not paused
}

// Pause lets no source admit anything until Resume: what is in flight goes on to its end,
// and what is replayed or injected enters. It does not wait, and may be called twice. The
// sources are kept waiting in Emit; a drain ends a pause.
func (e *Engine) Pause() {
	e.hold.mu.Lock()
	defer e.hold.mu.Unlock()
	if e.hold.resumed == nil {
		e.hold.resumed = make(chan struct{})
	}
}

// Resume ends a pause; without one it does nothing.
func (e *Engine) Resume() {
	e.hold.mu.Lock()
	defer e.hold.mu.Unlock()
	if e.hold.resumed != nil {
		close(e.hold.resumed)
		e.hold.resumed = nil
	}
}

func (h *hold) on() bool { return h.gate() != nil }

func (h *hold) gate() <-chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.resumed
}

// wait returns once the run is not paused; it ends with ctx's error, or context.Canceled
// once stop is closed.
func (h *hold) wait(ctx context.Context, stop <-chan struct{}) error {
	for resumed := h.gate(); resumed != nil; resumed = h.gate() {
		select {
		case <-resumed:
		case <-ctx.Done():
			return ctx.Err()
		case <-stop:
			return context.Canceled
		}
	}
	return nil
}
