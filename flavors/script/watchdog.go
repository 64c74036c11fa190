package script

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dop251/goja"

	"github.com/leat-run/leat/runtime"
)

// tick is how often the watchdog looks. A deadline is met within a few of them.
const tick = time.Millisecond

// idleTicks is how many ticks without an armed call put the watchdog to sleep.
const idleTicks = 200

// watchdog ends calls that run past their deadline. One goroutine serves every
// instance of a flavor: arming costs one atomic store, where a timer per message
// costs a hundred times as much.
type watchdog struct {
	mu struct {
		sync.Mutex
		watched map[*watched]struct{}
		quit    chan struct{} // closed to end the goroutine; nil while none runs
		done    chan struct{} // closed when it has ended
	}
	asleep atomic.Bool
	wake   chan struct{}
}

func newWatchdog() *watchdog {
	w := &watchdog{wake: make(chan struct{}, 1)}
	w.mu.watched = make(map[*watched]struct{})
	return w
}

// watched is one instance's place at the watchdog. The instance arms and disarms it;
// the watchdog fires it. deadline holds nanoseconds since epoch, 0 (disarmed) or
// firing (the watchdog is at work on it).
type watched struct {
	dog      *watchdog
	vm       *goja.Runtime
	deadline atomic.Int64
	verdict  atomic.Pointer[limit]
	ctx      atomic.Pointer[context.Context]
	timeout  atomic.Int64 // nanoseconds
	heap     heapWatch
}

const firing = -1

// epoch makes deadlines monotone numbers.
var epoch = time.Now()

// add puts vm under watch and starts the goroutine with the first one.
func (w *watchdog) add(vm *goja.Runtime, timeout time.Duration, memory int64) *watched {
	e := &watched{dog: w, vm: vm, heap: heapWatch{limit: memory}}
	e.timeout.Store(int64(timeout))
	w.mu.Lock()
	defer w.mu.Unlock()
	w.mu.watched[e] = struct{}{}
	if w.mu.quit == nil {
		w.mu.quit, w.mu.done = make(chan struct{}), make(chan struct{})
		go w.run(w.mu.quit, w.mu.done)
	}
	return e
}

// remove takes e out and waits for the goroutine if e was the last one.
func (w *watchdog) remove(e *watched) {
	w.mu.Lock()
	delete(w.mu.watched, e)
	quit, done := w.mu.quit, w.mu.done
	last := len(w.mu.watched) == 0 && quit != nil
	if last {
		w.mu.quit, w.mu.done = nil, nil
		close(quit)
	}
	w.mu.Unlock()
	if last {
		<-done
	}
}

func (w *watchdog) run(quit, done chan struct{}) {
	defer close(done)
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	for idle := 0; ; {
		select {
		case <-quit:
			return
		case <-ticker.C:
		}
		if w.look() {
			idle = 0
			continue
		}
		if idle++; idle > idleTicks {
			idle = 0
			if !w.sleep(ticker, quit) {
				return
			}
		}
	}
}

// sleep stops the ticker until a call is armed; false means quit.
func (w *watchdog) sleep(ticker *time.Ticker, quit chan struct{}) bool {
	ticker.Stop()
	w.asleep.Store(true)
	defer w.asleep.Store(false)
	if !w.look() { // an arm that came before the flag was seen
		select {
		case <-quit:
			return false
		case <-w.wake:
		}
	}
	ticker.Reset(tick)
	return true
}

// look visits every armed call once and says whether there was one.
func (w *watchdog) look() bool {
	now := int64(time.Since(epoch))
	armed := false
	w.mu.Lock()
	defer w.mu.Unlock()
	for e := range w.mu.watched {
		if d := e.deadline.Load(); d > 0 {
			armed = true
			e.judge(now, d)
		}
	}
	return armed
}

// judge fires e if its deadline has passed, its context ended or the heap outgrew it.
func (e *watched) judge(now, deadline int64) {
	verdict := e.heap.judge(deadline)
	if ctx := *e.ctx.Load(); ctx.Err() != nil {
		verdict = &limit{kind: runtime.KindOther, message: "the run is ending", cause: ctx.Err()}
	}
	if now > deadline {
		timeout := e.timeout.Load()
		verdict = timedOut(time.Duration(now-deadline+timeout), time.Duration(timeout))
	}
	if verdict == nil || !e.deadline.CompareAndSwap(deadline, firing) {
		return
	}
	e.vm.Interrupt(verdict)
	e.verdict.Store(verdict)
}

func timedOut(spent, timeout time.Duration) *limit {
	return &limit{
		kind:     runtime.KindTimeout,
		message:  "the script ran past its time",
		hint:     "raise budget.timeout on the node, or make the script do less per message",
		measured: spent.Milliseconds(),
		limit:    max(timeout.Milliseconds(), 1),
	}
}

// arm starts the clock of one call.
func (e *watched) arm(ctx context.Context, now time.Time) {
	if old := e.ctx.Load(); old == nil || *old != ctx {
		e.ctx.Store(&ctx)
	}
	e.deadline.Store(int64(now.Sub(epoch)) + e.timeout.Load())
	if e.dog.asleep.Load() {
		select {
		case e.dog.wake <- struct{}{}:
		default:
		}
	}
}

// deadlineTime returns when the call at hand has to end.
func (e *watched) deadlineTime() time.Time {
	if d := e.deadline.Load(); d > 0 {
		return epoch.Add(time.Duration(d))
	}
	return now()
}

// fired returns the verdict once the watchdog has ended this call.
func (e *watched) fired() *limit { return e.verdict.Load() }

// disarm stops the clock. When the watchdog was faster, it waits for it to be through
// and clears the interrupt, so that a late one cannot hit the next message; it returns
// the verdict then.
func (e *watched) disarm() *limit {
	for {
		d := e.deadline.Load()
		if d == firing {
			break
		}
		if e.deadline.CompareAndSwap(d, 0) {
			return nil
		}
	}
	verdict := e.verdict.Load()
	for verdict == nil {
		goyield()
		verdict = e.verdict.Load()
	}
	e.deadline.Store(0)
	e.verdict.Store(nil)
	e.vm.ClearInterrupt()
	return verdict
}
