package engine

import (
	"sync/atomic"
	"time"

	"github.com/leat-run/leat/runtime"
)

// nearBudget counts the messages of a node that succeeded with more than 80 % of a limit
// spent: the next one may not. It logs once a minute, with an example.
type nearBudget struct {
	limit              runtime.Usage // 80 % of the budget; 0 is no limit
	fuel, time, memory atomic.Int64
	warned             atomic.Int64
}

// NearBudget counts the messages that succeeded with more than 80 % of a limit spent.
type NearBudget struct{ Fuel, Time, Memory int64 }

func (n *nearBudget) of(b runtime.Budget) {
	n.limit = runtime.Usage{Fuel: b.Fuel / 5 * 4, Duration: b.Timeout / 5 * 4, Memory: b.Memory / 5 * 4}
}

func (n *nearBudget) note(t *transformNode, d *delivery, used runtime.Usage) {
	near := n.count(&n.fuel, used.Fuel, n.limit.Fuel)
	near = n.count(&n.time, int64(used.Duration), int64(n.limit.Duration)) || near
	near = n.count(&n.memory, used.Memory, n.limit.Memory) || near
	if near && t.engine.onceAMinute(&n.warned) {
		b := t.plan.Settings.Budget
		t.engine.log.Warn("a message spent more than 80 % of a budget", "node", t.name, "message_id", d.msg.ID,
			"fuel", used.Fuel, "fuel_budget", b.Fuel, "time", used.Duration.Round(time.Microsecond), "time_budget", b.Timeout,
			"memory", used.Memory, "memory_budget", b.Memory)
	}
}

func (n *nearBudget) count(counter *atomic.Int64, used, limit int64) bool {
	if limit <= 0 || used <= limit {
		return false
	}
	counter.Add(1)
	return true
}

func (n *nearBudget) counts() NearBudget {
	return NearBudget{Fuel: n.fuel.Load(), Time: n.time.Load(), Memory: n.memory.Load()}
}
