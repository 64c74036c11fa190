package engine

import (
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/leat-run/leat/store"
)

// disk is a file system in memory whose syncs the test can hold up or fail.
type disk struct {
	vfs.FS
	mu   sync.Mutex
	hold chan struct{} // closed: go on; nil: do not hold
	fail error
	held chan struct{} // gets a value when a sync is held up
}

func newDisk(below vfs.FS) *disk {
	d := &disk{held: make(chan struct{}, 100)}
	d.FS = errorfs.Wrap(below, errorfs.InjectorFunc(d.inject))
	return d
}

func (d *disk) inject(op errorfs.Op) error {
	switch op.Kind {
	case errorfs.OpFileSync, errorfs.OpFileSyncData, errorfs.OpFileSyncTo:
	default:
		return nil
	}
	d.mu.Lock()
	hold, fail := d.hold, d.fail
	d.mu.Unlock()
	if hold != nil {
		select {
		case d.held <- struct{}{}:
		default:
		}
		<-hold
		d.mu.Lock()
		fail = d.fail
		d.mu.Unlock()
	}
	return fail
}

// block holds up every sync from now on, until the returned function is called with what
// they are to return.
func (d *disk) block() (release func(error)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	hold := make(chan struct{})
	d.hold = hold
	return func(err error) {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.hold, d.fail = nil, err
		close(hold)
	}
}

// on replaces the world's store by one on d.
func (w *world) on(fs vfs.FS) *world {
	w.t.Helper()
	w.open(w.t.TempDir(), fs)
	return w
}

// fullDisk is a file system whose log has no room while it is full.
type fullDisk struct {
	vfs.FS
	full  atomic.Bool
	tries atomic.Int64 // writes that found no room
}

func newFullDisk(below vfs.FS) *fullDisk {
	d := &fullDisk{}
	d.FS = errorfs.Wrap(below, errorfs.InjectorFunc(func(op errorfs.Op) error {
		if op.Kind == errorfs.OpFileWrite && filepath.Ext(op.Path) == ".log" && d.full.Load() {
			d.tries.Add(1)
			return syscall.ENOSPC
		}
		return nil
	}))
	return d
}

// open replaces the world's store by one of dir on fs.
func (w *world) open(dir string, fs vfs.FS) {
	w.t.Helper()
	_ = w.store.Close()
	st, err := store.Open(dir, store.Options{FS: fs, MinFreeBytes: -1})
	if err != nil {
		w.t.Fatal(err)
	}
	w.store = st
	w.t.Cleanup(func() { _ = st.Close() })
}
