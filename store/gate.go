package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// gate stands between Pebble and the disk, and keeps every write error from it. Pebble
// answers a failed write by ending the process, by a throw that nothing can recover, or
// by calling a lost row durable; so an error that would reach it is decided here:
//
//	no space (write, create, rename)   the call is parked and tried again; Pebble sees a slow disk
//	a failed sync, any other error     the store has failed; the call never returns, nor does any later one
//	not there, already there           is passed on: Pebble asks on purpose
//
// A sync is never tried twice: after a failed one the kernel may call lost pages clean.
// Reads are passed on, errors included.
//
// INVARIANT: once failed or abandoned, no mutation starts; settled says when the last one
// that had started is over, after which the directory may have another owner.
type gate struct {
	vfs.FS
	present *presence   // is told of every name that comes and goes
	relaxed bool        // DurabilityOS: the log is not synced while it is written
	onFail  func(error) // called once, with the first failure
	onFull  func()      // called when the first call is parked
	mu      struct {
		sync.Mutex
		shut    bool
		running int           // mutations that were started and are not parked for ever
		waiting int           // of these, the ones parked for space
		full    chan struct{} // closed while waiting > 0
		settled chan struct{} // closed once shut with nothing running
	}
}

// retryEvery is how often a call that is parked for space is tried.
const retryEvery = 200 * time.Millisecond

func newGate(inner vfs.FS, present *presence, relaxed bool, onFail func(error), onFull func()) *gate {
	g := &gate{FS: inner, present: present, relaxed: relaxed, onFail: onFail, onFull: onFull}
	g.mu.full, g.mu.settled = make(chan struct{}), make(chan struct{})
	return g
}

// mutate runs one operation that changes the disk. It returns nil, or an error that
// Pebble expects; else it does not return.
func (g *gate) mutate(op string, f func() error) error {
	g.enter()
	err := f()
	for waits := false; ; err = f() {
		if noSpace(err) {
			g.waitForSpace(&waits)
			continue
		}
		g.leave(waits)
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrExist) {
			g.fail(fmt.Errorf("%s: %w", op, err))
		}
		return err
	}
}

// sync runs one operation that makes bytes durable. It returns nil or not at all.
func (g *gate) sync(op string, f func() error) error {
	g.enter()
	err := f()
	g.leave(false)
	if err != nil {
		g.fail(fmt.Errorf("%s: %w", op, err))
	}
	return nil
}

func (g *gate) enter() {
	g.mu.Lock()
	if g.mu.shut {
		g.mu.Unlock()
		g.park()
	}
	g.mu.running++
	g.mu.Unlock()
}

func (g *gate) leave(waits bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if waits {
		if g.mu.waiting--; g.mu.waiting == 0 {
			g.mu.full = make(chan struct{})
		}
	}
	g.leaveLocked()
}

func (g *gate) leaveLocked() {
	if g.mu.running--; g.mu.shut && g.mu.running == 0 {
		close(g.mu.settled)
	}
}

func (g *gate) waitForSpace(waits *bool) {
	g.mu.Lock()
	if g.mu.shut {
		g.leaveLocked()
		g.mu.Unlock()
		g.park()
	}
	first := false
	if !*waits {
		*waits, first = true, g.mu.waiting == 0
		g.mu.waiting++
	}
	if first {
		close(g.mu.full)
	}
	g.mu.Unlock()
	if first {
		g.onFull()
	}
	time.Sleep(retryEvery)
}

// fail shuts the gate for good and does not return.
func (g *gate) fail(err error) {
	g.shut()
	g.onFail(err)
	g.park()
}

// shut lets no further mutation start.
func (g *gate) shut() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.mu.shut {
		return
	}
	if g.mu.shut = true; g.mu.running == 0 {
		close(g.mu.settled)
	}
}

// park keeps a goroutine of Pebble for the rest of the process.
func (g *gate) park() { select {} }

// full is closed once a call is parked for space; another channel after it was healed.
func (g *gate) full() <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.mu.full
}

func (g *gate) isFull() bool {
	select {
	case <-g.full():
		return true
	default:
		return false
	}
}

func (g *gate) Unwrap() vfs.FS { return g.FS }

// Lock is the lease's business.
func (g *gate) Lock(string) (io.Closer, error) { return io.NopCloser(nil), nil }

// GetDiskUsage hides errors as "not supported": not to know is no reason to fail.
func (g *gate) GetDiskUsage(path string) (vfs.DiskUsage, error) {
	usage, err := g.FS.GetDiskUsage(path)
	if err != nil {
		return usage, vfs.ErrUnsupported
	}
	return usage, nil
}

func (g *gate) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	g.settle(name)
	return g.file(name, "create", func() (vfs.File, error) { return g.FS.Create(name, c) })
}

func (g *gate) OpenReadWrite(name string, c vfs.DiskWriteCategory, o ...vfs.OpenOption) (vfs.File, error) {
	return g.file(name, "open", func() (vfs.File, error) { return g.FS.OpenReadWrite(name, c, o...) })
}

func (g *gate) ReuseForWrite(old, name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	g.present.unmade(old)
	return g.file(name, "reuse", func() (vfs.File, error) { return g.FS.ReuseForWrite(old, name, c) })
}

func (g *gate) file(name, op string, open func() (vfs.File, error)) (file vfs.File, err error) {
	err = g.mutate(op+" "+name, func() (err error) {
		file, err = open()
		return err
	})
	if err != nil {
		return nil, err
	}
	g.present.made(name)
	return &gateFile{File: file, gate: g, name: name, log: g.isLog(name)}, nil
}

func (g *gate) OpenDir(name string) (vfs.File, error) {
	dir, err := g.FS.OpenDir(name)
	if err != nil {
		return nil, err
	}
	return &gateFile{File: dir, gate: g, name: name}, nil
}

func (g *gate) Link(old, name string) error {
	err := g.mutate("link "+name, func() error { return g.FS.Link(old, name) })
	return g.madeUnless(err, name)
}

func (g *gate) Remove(name string) error {
	g.settle(name)
	g.present.unmade(name)
	return g.mutate("remove "+name, func() error { return g.FS.Remove(name) })
}

func (g *gate) RemoveAll(name string) error {
	g.present.unmade(name)
	return g.mutate("remove "+name, func() error { return g.FS.RemoveAll(name) })
}

func (g *gate) Rename(old, name string) error {
	g.present.unmade(old)
	err := g.mutate("rename "+name, func() error { return g.FS.Rename(old, name) })
	return g.madeUnless(err, name)
}

func (g *gate) madeUnless(err error, name string) error {
	if err == nil {
		g.present.made(name)
	}
	return err
}
