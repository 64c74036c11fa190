package engine

import "time"

// advisor logs a call into a guest or a sink that runs longer than telemetry.slow_call,
// once, while it runs. Workers only count: a call's counter is odd while it runs. The
// advisor looks every now and then, so that a call costs no clock.
type advisor struct {
	engine    *Engine
	threshold time.Duration
	seen      map[*node][]observed
}

// observed is what the advisor saw of one worker's counter.
type observed struct {
	count  uint64
	since  time.Time // when it was first seen at this count
	warned bool
}

func newAdvisor(e *Engine) *advisor {
	a := &advisor{engine: e, threshold: e.plan.Telemetry.SlowCall, seen: map[*node][]observed{}}
	for _, n := range e.topology.order {
		a.seen[n] = make([]observed, len(n.counts.calls))
	}
	return a
}

// run looks four times per threshold, until stop is closed.
func (a *advisor) run(stop <-chan struct{}) {
	if a.threshold <= 0 {
		return
	}
	tick := time.NewTicker(max(a.threshold/4, 10*time.Millisecond))
	defer tick.Stop()
	for {
		select {
		case now := <-tick.C:
			a.look(now)
		case <-stop:
			return
		}
	}
}

func (a *advisor) look(now time.Time) {
	for _, n := range a.engine.topology.order {
		for i := range n.counts.calls {
			a.lookAt(n, i, &a.seen[n][i], now)
		}
	}
}

func (a *advisor) lookAt(n *node, worker int, o *observed, now time.Time) {
	count := n.counts.calls[worker].Load()
	if count != o.count {
		*o = observed{count: count, since: now}
	}
	running := count%2 == 1
	if took := now.Sub(o.since); running && !o.warned && took >= a.threshold {
		o.warned = true
		a.engine.log.Warn("a call runs long", "node", n.name, "worker", worker, "running_for_at_least", took)
	}
}
