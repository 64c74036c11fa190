package store

import (
	"errors"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

// A store that cannot close, because the disk fills up under the last flush, keeps its lease while
// one of its writes hangs in the kernel: the directory has no second owner before it is over.
func TestCloseKeepsTheLeaseWhileAWriteHangs(t *testing.T) {
	if testing.Short() {
		t.Skip("it waits for the bound of Close")
	}
	if !inChild(t) {
		return
	}
	var armed atomic.Bool
	flushing, full := make(chan struct{}), make(chan struct{})
	disk := errorfs.Wrap(vfs.NewMem(), errorfs.InjectorFunc(func(op errorfs.Op) error {
		if op.Kind != errorfs.OpCreate || filepath.Ext(op.Path) != ".sst" || !armed.Load() {
			return nil
		}
		select {
		case flushing <- struct{}{}:
		default:
		}
		<-full
		return syscall.ENOSPC
	}))
	dir := t.TempDir()
	s := open(t, dir, Options{FS: disk})
	if _, err := s.Append(testRows(10)); err != nil {
		t.Fatal(err)
	}
	armed.Store(true)
	go func() { _ = flush(s) }()
	<-flushing
	hang := make(chan struct{})
	defer close(hang)
	go func() { _ = s.gate.sync("hangs", func() error { <-hang; return nil }) }()
	eventually(t, "the sync hangs", func() bool {
		s.gate.mu.Lock()
		defer s.gate.mu.Unlock()
		return s.gate.mu.running == 2
	})
	closed := make(chan error, 1)
	go func() { closed <- s.Close() }()
	eventually(t, "Close closes the database", func() bool { return errors.Is(s.read(func() error { return nil }), ErrClosed) })
	close(full)
	if err := <-closed; err != nil {
		t.Error(err)
	}
	if _, err := takeLease(s.dir, Options{}); !errors.Is(err, ErrInUse) {
		t.Errorf("a second owner while a write hangs: %v", err)
	}
}
