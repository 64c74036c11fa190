package process

import (
	"sync"
	"sync/atomic"
	"time"
)

// tick is how often the watcher looks at calls.
const tick = 5 * time.Millisecond

// watcher kills children whose message runs too long or whose caller is gone. Its goroutine
// runs while there are children and sleeps while none is called.
type watcher struct {
	busy atomic.Int64  // calls under way
	wake chan struct{} // holds a token after a call began
	mu   struct {
		sync.Mutex
		children map[*child]struct{}
		quit     chan struct{} // closed to end the goroutine; nil while none runs
		done     chan struct{}
	}
}

func newWatcher() *watcher {
	w := &watcher{wake: make(chan struct{}, 1)}
	w.mu.children = map[*child]struct{}{}
	return w
}

func (w *watcher) begin() {
	if w.busy.Add(1) > 1 {
		return
	}
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

func (w *watcher) end() { w.busy.Add(-1) }

func (w *watcher) add(c *child) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.mu.children[c] = struct{}{}
	if w.mu.quit == nil {
		w.mu.quit, w.mu.done = make(chan struct{}), make(chan struct{})
		go w.run(w.mu.quit, w.mu.done)
	}
}

// remove takes a child out, and ends the goroutine with the last one.
func (w *watcher) remove(c *child) {
	w.mu.Lock()
	delete(w.mu.children, c)
	quit, done := w.mu.quit, w.mu.done
	last := len(w.mu.children) == 0 && quit != nil
	if last {
		w.mu.quit, w.mu.done = nil, nil
		close(quit)
	}
	w.mu.Unlock()
	if last {
		<-done
	}
}

func (w *watcher) run(quit, done chan struct{}) {
	defer close(done)
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	for {
		if w.busy.Load() == 0 {
			ticker.Stop()
			select {
			case <-w.wake:
			case <-quit:
				return
			}
			ticker.Reset(tick)
		}
		select {
		case <-ticker.C:
			w.look(time.Now())
		case <-quit:
			return
		}
	}
}

func (w *watcher) look(now time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for c := range w.mu.children {
		if call := c.call.Load(); call != nil {
			c.judge(call, now)
		}
	}
}

// judge kills the child if its call must end. It runs on the watcher's goroutine.
func (c *child) judge(call *call, now time.Time) {
	if c.killed.Load() != nil {
		return
	}
	running := c.page.running.Load()
	if running != c.watch.running || call != c.watch.call {
		c.watch.running, c.watch.call, c.watch.since = running, call, now
	}
	ran := now.Sub(c.watch.since)
	limit := c.budget.Timeout + Grace(c.budget)
	if running == pageIdle || running&pageStarting != 0 {
		limit = loadTime
	}
	v := verdict{ended: call.ctx.Err(), running: running, ran: ran}
	if v.ended == nil && ran <= limit {
		return
	}
	c.killed.Store(&v)
	c.kill()
}
