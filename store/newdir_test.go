package store

import (
	"errors"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

// The directories that are made for a store are synced before it takes its first row, up to one
// that was there: without their names a loss of power would take everything. A store that is
// there is opened without it, and a disk that cannot sync them has no new store.
func TestNewDirectoriesAreSynced(t *testing.T) {
	above := resolved(t)
	var mu sync.Mutex
	var synced []string
	failing := filepath.Join(above, "other")
	disk := errorfs.Wrap(vfs.Default, errorfs.InjectorFunc(func(op errorfs.Op) error {
		mu.Lock()
		defer mu.Unlock()
		if op.Kind != errorfs.OpFileSync || filepath.Ext(op.Path) != "" {
			return nil
		}
		synced = append(synced, op.Path)
		if op.Path == failing {
			return syscall.EIO
		}
		return nil
	}))
	want := []string{above, filepath.Join(above, "a"), filepath.Join(above, "a", "b")}
	dir := filepath.Join(above, "a", "b", "c")
	count := func() (n int) {
		mu.Lock()
		defer mu.Unlock()
		for _, path := range want {
			if slices.Contains(synced, path) {
				n++
			}
		}
		synced = nil
		return n
	}
	s := open(t, dir, Options{FS: disk})
	if n := count(); n != len(want) {
		t.Errorf("%d of %d directories were synced", n, len(want))
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	count()
	s = open(t, dir, Options{FS: disk})
	if n := count(); n != 0 {
		t.Errorf("%d directories were synced for a store that is there", n)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(filepath.Join(failing, "d"), Options{FS: disk}); !errors.Is(err, syscall.EIO) {
		t.Errorf("a new store on a disk that does not sync: %v", err)
	}
}

// resolved is a directory of the test's without symlinks in its path.
func resolved(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}
