package store

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

// Whatever somebody removes or replaces below an open store is noticed and named, though nothing
// fails by itself; from then on nothing is accepted.
func TestRemovedFilesAreNoticed(t *testing.T) {
	for name, remove := range map[string]func(dir string) error{
		"the log":       removing("pebble/*.log"),
		"the manifest":  removing("pebble/MANIFEST-*"),
		"the marker":    removing("pebble/marker.manifest.*"),
		"a table":       removing("pebble/*.sst"),
		"all of Pebble": removing("pebble/*"),
		"its directory": removing("pebble"),
		"the directory": os.RemoveAll,
		"the lock":      removing(leaseName),
		"moved away":    func(dir string) error { return os.Rename(dir, dir+".moved") },
		"moved and anew": func(dir string) error {
			return errors.Join(os.Rename(dir, dir+".moved"), os.CopyFS(dir, os.DirFS(dir+".moved")))
		},
		"another lock": func(dir string) error {
			return errors.Join(os.WriteFile(dir+".lock", nil, 0o600), os.Rename(dir+".lock", filepath.Join(dir, leaseName)))
		},
	} {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			if !inChild(t) {
				return
			}
			dir := filepath.Join(t.TempDir(), "store")
			s, err := Open(dir, Options{})
			if err != nil {
				t.Fatal(err)
			}
			_, err = s.Append(testRows(10))
			if err := errors.Join(err, s.db.Flush()); err != nil {
				t.Fatal(err)
			}
			if err := remove(dir); err != nil {
				t.Fatal(err)
			}
			eventually(t, "it is noticed", func() bool { return s.Err() != nil })
			if err := s.Err(); !errors.Is(err, ErrFailed) || !errors.Is(err, ErrRemoved) || !strings.Contains(err.Error(), dir) || strings.Contains(err.Error(), "\n") {
				t.Error(err)
			}
			if _, err := s.Append(testRows(1)); !errors.Is(err, ErrFailed) {
				t.Errorf("an append afterwards: %v", err)
			}
			if err := s.Close(); !errors.Is(err, ErrFailed) {
				t.Errorf("close: %v", err)
			}
		})
	}
}

// removing removes what matches, below the store's directory.
func removing(pattern string) func(dir string) error {
	return func(dir string) error {
		found, err := filepath.Glob(filepath.Join(dir, pattern))
		if err == nil && len(found) == 0 {
			err = errors.New("nothing matches " + pattern)
		}
		for _, path := range found {
			err = errors.Join(err, os.RemoveAll(path))
		}
		return err
	}
}

// An append whose sync comes back after the log was found to be gone is not acknowledged, and its
// rows are not shown.
func TestNothingIsAcknowledgedOnceRemovalIsNoticed(t *testing.T) {
	if !inChild(t) {
		return
	}
	var armed atomic.Bool
	release := make(chan struct{})
	memory := vfs.NewMem()
	disk := errorfs.Wrap(memory, errorfs.InjectorFunc(func(op errorfs.Op) error {
		if armed.Load() && onLog(errorfs.OpFileSync, errorfs.OpFileSyncData)(op) {
			<-release
		}
		return nil
	}))
	s := open(t, "", Options{Ephemeral: true, FS: disk})
	if _, err := s.Append(testRows(3)); err != nil {
		t.Fatal(err)
	}
	armed.Store(true)
	answer := make(chan error, 1)
	go func() {
		_, err := s.Append(testRows(5))
		answer <- err
	}()
	names, err := memory.List(pebbleDir)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, ".log") {
			if err := memory.Remove(memory.PathJoin(pebbleDir, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	eventually(t, "it is noticed", func() bool { return s.Err() != nil })
	close(release)
	if err := <-answer; !errors.Is(err, ErrRemoved) {
		t.Errorf("the append in flight: %v", err)
	}
	if err := s.Close(); !errors.Is(err, ErrRemoved) {
		t.Error(err)
	}
	if last := s.LastSeq(); last != 3 {
		t.Errorf("%d rows are durable, want 3", last)
	}
}

// Nothing is missed that Pebble itself makes, renames, recycles and removes: it is looked all the
// time while logs rotate, tables are flushed, compacted and dropped, and the store is opened again.
func TestPresenceSeesPebblesOwnChanges(t *testing.T) {
	dir := t.TempDir()
	for range 3 {
		s, err := Open(dir, Options{Retention: -1})
		if err != nil {
			t.Fatal(err)
		}
		stop, looked := make(chan struct{}), make(chan int)
		go func() {
			n := 0
			for ; ; n++ {
				select {
				case <-stop:
					looked <- n
					return
				default:
				}
				if err := errors.Join(s.presence.check(), s.lease.check(s.dir)); err != nil {
					t.Error(err)
				}
			}
		}()
		for range 15 {
			first, err := s.Append(testRows(500))
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(s.db.Flush(), s.SetCheckpoint(Checkpoint{Through: first + 400})); err != nil {
				t.Fatal(err)
			}
			if err := s.db.Compact(t.Context(), []byte{0}, []byte{0xff}, false); err != nil {
				t.Fatal(err)
			}
		}
		close(stop)
		if n := <-looked; n == 0 {
			t.Error("it was never looked")
		}
		if len(s.presence.known()) < 4 {
			t.Errorf("it knows %v", s.presence.known())
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
