//go:build unix

package script

import (
	"time"

	"golang.org/x/sys/unix"
)

// cpuTime is what the process has used of its processors, collections included.
func cpuTime() time.Duration {
	var usage unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
