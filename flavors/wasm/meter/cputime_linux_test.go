package meter

import (
	"time"

	"golang.org/x/sys/unix"
)

// cpuTime is what this thread has used of a processor: a busy machine disturbs it less than
// the time of day. REQUIRES: the goroutine is locked to its thread.
func cpuTime() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		panic(err)
	}
	return time.Duration(t.Nano())
}
