package process

import (
	"bytes"
	"fmt"
	"os"
	goruntime "runtime"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"github.com/leat-run/leat/runtime"
)

// confine limits this process before it loads any code.
func confine(limited bool) error {
	debug.SetMaxStack(maxStack)
	// The kernel then ends a child first when the machine runs out of memory. Best effort: a
	// container may forbid it.
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0)
	if err := setLimit(unix.RLIMIT_CORE, 0, "core files"); err != nil {
		return err
	}
	if err := limitCPU(loadCPU); err != nil || !limited {
		return err
	}
	return setLimit(unix.RLIMIT_DATA, loadMemory, "memory")
}

// tighten limits this process to what it has now and the room for messages. It returns the
// limit, 0 where there is none.
func tighten(b runtime.Budget, limited bool) (int64, error) {
	if err := limitCPU(messageCPU(b)); err != nil || !limited {
		return 0, err
	}
	goruntime.GC()
	debug.FreeOSMemory()
	used, err := privateMemory()
	if err != nil {
		return 0, err
	}
	debug.SetMemoryLimit(heldByGo() + Room(b)/2)
	ceiling := used + Room(b)
	return ceiling, setLimit(unix.RLIMIT_DATA, uint64(ceiling), "memory")
}

// messageCPU is what the node's messages may use until the limit is renewed.
func messageCPU(b runtime.Budget) time.Duration { return 2*b.Timeout + loadTime }

// limitCPU lets the process use more CPU time from now on, and no more.
func limitCPU(more time.Duration) error {
	var used unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &used); err != nil {
		return fmt.Errorf("process: read the CPU time: %w", err)
	}
	total := time.Duration(used.Utime.Nano()+used.Stime.Nano()) + more
	limit := unix.Rlimit{Cur: uint64((total + time.Second - 1) / time.Second), Max: unix.RLIM_INFINITY}
	if err := unix.Setrlimit(unix.RLIMIT_CPU, &limit); err != nil {
		return fmt.Errorf("process: limit the CPU time: %w", err)
	}
	return nil
}

func setLimit(resource int, value uint64, what string) error {
	if err := unix.Setrlimit(resource, &unix.Rlimit{Cur: value, Max: value}); err != nil {
		return fmt.Errorf("process: limit %s to %d: %w", what, value, err)
	}
	return nil
}

// privateMemory returns the bytes that RLIMIT_DATA counts.
func privateMemory() (int64, error) {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0, fmt.Errorf("process: read the memory's size: %w", err)
	}
	fields := bytes.Fields(text)
	if len(fields) < 6 {
		return 0, fmt.Errorf("process: read the memory's size: %q", text)
	}
	pages, err := strconv.ParseInt(string(fields[5]), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("process: read the memory's size: %w", err)
	}
	return pages * int64(os.Getpagesize()), nil
}

// heldByGo returns the bytes that the Go runtime's own limit counts.
func heldByGo() int64 {
	sample := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64() - sample[1].Value.Uint64())
}
