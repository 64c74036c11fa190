package engine

import (
	"context"
	"sync"
)

// Gate bounds what is in flight: one slot per uncommitted message, and their bytes. It
// may be shared by several runs of one pipeline. Waiters are served in the order in which
// they came, so that a large group is not starved by small ones.
type Gate struct {
	messages int
	bytes    int64

	mu struct {
		sync.Mutex
		usedMessages int
		usedBytes    int64
		waiters      []*gateWaiter
	}
}

type gateWaiter struct {
	messages int
	bytes    int64
	admitted chan struct{} // closed under the gate's lock
}

// NewGate returns a gate with the given bounds, both at least 1.
func NewGate(messages int, bytes int64) *Gate {
	return &Gate{messages: max(messages, 1), bytes: max(bytes, 1)}
}

// enter takes slots for a group, at once if there is room (nil), or returns whom to await.
// It ends with ctx's error, or context.Canceled once stop is closed. A group heavier than
// the whole gate is let in alone. REQUIRES: messages <= the gate's bound.
func (g *Gate) enter(ctx context.Context, stop <-chan struct{}, messages int, bytes int64) (*gateWaiter, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	select {
	case <-stop:
		return nil, context.Canceled
	default:
		return g.takeOrQueue(messages, bytes), nil
	}
}

// await waits until w has its slots; if it ends with an error, w has none.
func (g *Gate) await(ctx context.Context, stop <-chan struct{}, w *gateWaiter) error {
	select {
	case <-w.admitted:
		return nil
	case <-ctx.Done():
		g.leave(w)
		return ctx.Err()
	case <-stop:
		g.leave(w)
		return context.Canceled
	}
}

// release gives slots back and admits who can go on.
func (g *Gate) release(messages int, bytes int64) {
	if messages == 0 {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.mu.usedMessages -= messages
	g.mu.usedBytes -= bytes
	g.admitLocked()
}

// used returns what is held.
func (g *Gate) used() (messages int, bytes int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.mu.usedMessages, g.mu.usedBytes
}

// takeOrQueue admits at once (nil) or queues.
func (g *Gate) takeOrQueue(messages int, bytes int64) *gateWaiter {
	g.mu.Lock()
	defer g.mu.Unlock()
	w := &gateWaiter{messages: messages, bytes: bytes}
	if len(g.mu.waiters) == 0 && g.fitsLocked(w) {
		g.takeLocked(w)
		return nil
	}
	w.admitted = make(chan struct{})
	g.mu.waiters = append(g.mu.waiters, w)
	return w
}

// leave takes a waiter out whose context ended, and gives back what it may have got.
func (g *Gate) leave(w *gateWaiter) {
	g.mu.Lock()
	defer g.mu.Unlock()
	select {
	case <-w.admitted:
		g.mu.usedMessages -= w.messages
		g.mu.usedBytes -= w.bytes
	default:
		for i := range g.mu.waiters {
			if g.mu.waiters[i] == w {
				g.mu.waiters = append(g.mu.waiters[:i], g.mu.waiters[i+1:]...)
				break
			}
		}
	}
	g.admitLocked()
}

func (g *Gate) admitLocked() {
	for len(g.mu.waiters) > 0 && g.fitsLocked(g.mu.waiters[0]) {
		w := g.mu.waiters[0]
		g.mu.waiters = g.mu.waiters[1:]
		g.takeLocked(w)
		close(w.admitted)
	}
}

func (g *Gate) fitsLocked(w *gateWaiter) bool {
	if g.mu.usedMessages == 0 {
		return true
	}
	return g.mu.usedMessages+w.messages <= g.messages && g.mu.usedBytes+w.bytes <= g.bytes
}

func (g *Gate) takeLocked(w *gateWaiter) {
	g.mu.usedMessages += w.messages
	g.mu.usedBytes += w.bytes
}
