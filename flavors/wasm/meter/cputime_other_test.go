//go:build !linux

package meter

import "time"

var started = time.Now()

func cpuTime() time.Duration { return time.Since(started) }
