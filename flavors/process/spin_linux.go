package process

import (
	"io"
	"os"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// spinReader reads a pipe whose other end is a tallyWriter. Before it puts its thread to sleep
// it looks for a while whether something comes: waking a thread on a core that sleeps costs
// tens of microseconds, more than a batch of small messages.
type spinReader struct {
	from  io.Reader
	wrote *atomic.Uint64 // bytes, as the other end has it, who is believed in how to wait only
	read  uint64
	vain  int // how many waits sleep at once after the last ones spun in vain
	skip  int // how many of them are left
}

const (
	spinMost    = 50 * time.Microsecond // a longer wait gains little
	spinVainest = 31
)

func (r *spinReader) Read(p []byte) (int, error) {
	switch {
	case r.ready():
	case r.skip > 0:
		r.skip--
	case r.spin():
		r.vain = 0
	default:
		r.vain = min(2*r.vain+1, spinVainest)
		r.skip = r.vain
	}
	n, err := r.from.Read(p)
	r.read += uint64(n)
	return n, err
}

func (r *spinReader) spin() bool {
	for began := time.Now(); time.Since(began) < spinMost; {
		// The other end may need this core.
		_, _, _ = unix.RawSyscall(unix.SYS_SCHED_YIELD, 0, 0, 0) // never fails
		if r.ready() {
			return true
		}
	}
	return false
}

// ready says that the other end has written something. It tells so after it did: what was read
// may be ahead of it.
func (r *spinReader) ready() bool { return int64(r.wrote.Load()-r.read) > 0 }

// tallyWriter counts what it writes in shared memory.
type tallyWriter struct {
	to    *os.File
	wrote *atomic.Uint64
}

func (w tallyWriter) Write(p []byte) (int, error) {
	n, err := w.to.Write(p)
	w.wrote.Add(uint64(n))
	return n, err
}

func (w tallyWriter) Close() error { return w.to.Close() }
