package script

import (
	goruntime "runtime"
	"runtime/metrics"
	"time"

	"github.com/leat-run/leat/runtime"
)

// heapWatch is an approximate bound on what one call makes the process hold. No heap
// can be attributed to one VM: the bound is on the growth of the whole heap while one
// call has been running for a while, verified by a collection before anyone is blamed.
// The exact bounds are those of natives (instance.allocate) and, for the process,
// isolation: process.
type heapWatch struct {
	limit    int64
	deadline int64 // the call that was seen last, told apart by its deadline
	ticks    int
	base     int64
	next     int64 // growth at which to look closer
}

// graceTicks is how long a call may run before its heap is looked at.
const graceTicks = 10

func (h *heapWatch) judge(deadline int64) *limit {
	if h.deadline != deadline {
		h.deadline, h.ticks = deadline, 0
	}
	h.ticks++
	if h.ticks == 2 {
		h.base, h.next = heapObjects(), h.limit
	}
	if h.ticks < graceTicks {
		return nil
	}
	if heapObjects()-h.base <= h.next {
		return nil
	}
	goruntime.GC()
	grown := heapObjects() - h.base
	if grown <= h.limit {
		h.next = grown + 2*h.limit // garbage: look again when there is more of it
		return nil
	}
	return &limit{
		kind:     runtime.KindMemory,
		message:  "the script holds more memory than its budget",
		hint:     "raise budget.memory, or keep less; a script's memory is measured approximately (isolation: process is exact)",
		measured: grown,
		limit:    h.limit,
		sampled:  true,
	}
}

// heapObjects returns the bytes of live and not yet swept objects.
func heapObjects() int64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}

// goyield lets the watchdog finish a verdict that it has begun.
func goyield() { goruntime.Gosched() }

// now is the wall clock of deadlines.
func now() time.Time { return time.Now() }
