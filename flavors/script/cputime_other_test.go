//go:build !unix

package script

import "time"

var started = time.Now()

// cpuTime is the wall clock where the process's own time is not known.
func cpuTime() time.Duration { return time.Since(started) }
