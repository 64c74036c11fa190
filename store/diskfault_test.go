package store

import (
	"context"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/leat-run/leat/runtime"
)

// A place is an operation in the background of Pebble at which the disk may fault: which
// files are touched, how the store is brought to it, and what provokes it.
type place struct {
	match   func(errorfs.Op) bool
	prepare func(*testing.T, *Store)
	provoke func(*Store) error
}

func onTable(kinds ...errorfs.OpKind) func(errorfs.Op) bool {
	return func(op errorfs.Op) bool { return filepath.Ext(op.Path) == ".sst" && slices.Contains(kinds, op.Kind) }
}

func onManifest(kinds ...errorfs.OpKind) func(errorfs.Op) bool {
	return func(op errorfs.Op) bool {
		return strings.HasPrefix(filepath.Base(op.Path), "MANIFEST") && slices.Contains(kinds, op.Kind)
	}
}

func flush(s *Store) error { return s.db.Flush() }

func compact(s *Store) error {
	return s.db.Compact(context.Background(), kindCheckpoint.start(), kindRow.end(), false)
}

// twoTables leaves overlapping tables, which a compaction has to rewrite.
func twoTables(t *testing.T, s *Store) {
	for range 2 {
		through := s.LastSeq()
		if err := s.SetCheckpoint(Checkpoint{Through: through}); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Append(testRows(50)); err != nil {
			t.Fatal(err)
		}
		if err := flush(s); err != nil {
			t.Fatal(err)
		}
	}
}

func places() map[string]place {
	nothing := func(*testing.T, *Store) {}
	return map[string]place{
		"flush_create":     {onTable(errorfs.OpCreate), nothing, flush},
		"flush_write":      {onTable(errorfs.OpFileWrite), nothing, flush},
		"flush_sync":       {onTable(errorfs.OpFileSync, errorfs.OpFileSyncData), nothing, flush},
		"manifest_write":   {onManifest(errorfs.OpFileWrite), nothing, flush},
		"manifest_sync":    {onManifest(errorfs.OpFileSync, errorfs.OpFileSyncData), nothing, flush},
		"compaction_write": {onTable(errorfs.OpFileWrite), twoTables, compact},
		"compaction_sync":  {onTable(errorfs.OpFileSync, errorfs.OpFileSyncData), twoTables, compact},
		"log_rotation":     {onLog(errorfs.OpCreate, errorfs.OpReuseForWrite), nothing, flush},
	}
}

// An error of the disk in a flush, a compaction, the manifest or at a new log fails the
// store in the end like one in the log: Failed is closed with the cause, calls end, the
// process lives, and what was acknowledged is on the disk that is left when only synced
// bytes survive.
func TestBackgroundFaultFailsTheStore(t *testing.T) {
	for name, p := range places() {
		t.Run(name, func(t *testing.T) {
			if inChild(t) {
				failAt(t, p)
			}
		})
	}
}

func failAt(t *testing.T, p place) {
	f := &fault{err: syscall.EIO, match: p.match}
	mem := vfs.NewCrashableMem()
	s := open(t, "", Options{Ephemeral: true, FS: f.fs(mem)})
	p.prepare(t, s)
	first, err := s.Append(testRows(10))
	if err != nil {
		t.Fatal(err)
	}
	f.armed.Store(true)
	go func() { _ = p.provoke(s) }() // Pebble's goroutine is parked at the gate, and this one with it
	<-s.Failed()
	if err := s.Err(); !errors.Is(err, ErrFailed) || !errors.Is(err, syscall.EIO) {
		t.Error(err)
	}
	for _, err := range []error{s.PutLetter(DeadLetter{ID: "x"}), s.Unblocked(unfinished(t)), s.Close()} {
		if !errors.Is(err, ErrFailed) {
			t.Error(err)
		}
	}
	reopenSynced(t, mem, first+9)
}

// reopenSynced opens what a power loss leaves of the disk: every row up to last is there.
func reopenSynced(t *testing.T, mem *vfs.MemFS, last runtime.Seq) {
	t.Helper()
	left := mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 0, RNG: rand.New(rand.NewPCG(1, 1))})
	s := open(t, "", Options{Ephemeral: true, FS: left})
	if s.LastSeq() < last {
		t.Errorf("the disk holds %d rows, %d were acknowledged", s.LastSeq(), last)
	}
	seq := s.trimmed()
	if err := s.Rows(0, func(r Row) error { seq++; return nil }); err != nil || seq != s.LastSeq() {
		t.Errorf("%d rows of %d: %v", seq, s.LastSeq(), err)
	}
}

// No space at the same places blocks, says so, and heals by itself. A sync that fails is
// the exception, whatever its error: pages may be lost.
func TestBackgroundNoSpaceHeals(t *testing.T) {
	for name, p := range places() {
		if strings.HasSuffix(name, "_sync") {
			continue
		}
		t.Run(name, func(t *testing.T) { healAt(t, p) })
	}
}

func healAt(t *testing.T, p place) {
	f := &fault{err: syscall.ENOSPC, match: p.match}
	mem := vfs.NewCrashableMem()
	s := open(t, "", Options{Ephemeral: true, FS: f.fs(mem)})
	p.prepare(t, s)
	if _, err := s.Append(testRows(10)); err != nil {
		t.Fatal(err)
	}
	f.armed.Store(true)
	full, ended := s.gate.full(), make(chan error, 1)
	go func() { ended <- p.provoke(s) }()
	<-full
	s.space.recheck()
	if _, err := s.Append(testRows(1)); !errors.Is(err, ErrFull) {
		t.Fatal(err)
	}
	f.armed.Store(false)
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if err := s.Unblocked(unfinished(t)); err != nil {
		t.Fatal(err)
	}
	first, err := s.Append(testRows(10))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	reopenSynced(t, mem, first+9)
}

// A table that cannot be read fails the store at the first reader that notices, whoever it
// is: it gets the error and so does everybody after it; on a disk that reads again nothing
// is missing.
func TestUnreadableTableFailsTheStore(t *testing.T) {
	for name, read := range map[string]func(*Store) error{
		"rows":        func(s *Store) error { return s.Rows(0, func(Row) error { return nil }) },
		"row":         func(s *Store) error { _, err := s.ReadRow(7); return err },
		"letters":     func(s *Store) error { return s.Letters(func(DeadLetter) error { return nil }) },
		"letter":      func(s *Store) error { _, err := s.Letter("x"); return err },
		"state":       func(s *Store) error { _, err := s.NodeState("n"); return err },
		"put_letter":  func(s *Store) error { return s.PutLetter(DeadLetter{ID: "x"}) },
		"compaction":  func(s *Store) error { _ = compact(s); <-s.Failed(); return s.Err() },
		"second_open": nil,
	} {
		t.Run(name, func(t *testing.T) {
			if inChild(t) {
				unreadable(t, read)
			}
		})
	}
}

func unreadable(t *testing.T, read func(*Store) error) {
	mem := vfs.NewCrashableMem()
	prepared := open(t, "", Options{Ephemeral: true, FS: mem})
	twoTables(t, prepared)
	for _, err := range []error{
		prepared.PutLetter(DeadLetter{ID: "x"}), prepared.SetNodeState("n", 1, []byte("there")), flush(prepared), prepared.Close(),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	f := &fault{err: syscall.EIO, match: onTable(errorfs.OpFileRead, errorfs.OpFileReadAt)}
	if read == nil {
		f.armed.Store(true)
		if _, err := Open("", Options{Ephemeral: true, FS: f.fs(mem)}); !errors.Is(err, syscall.EIO) {
			t.Error(err)
		}
	} else {
		s := open(t, "", Options{Ephemeral: true, FS: f.fs(mem), Cache: noCache(t)})
		f.armed.Store(true)
		if err := read(s); !errors.Is(err, ErrFailed) || !errors.Is(err, syscall.EIO) {
			t.Error(err)
		}
		<-s.Failed()
		if err := s.Close(); !errors.Is(err, ErrFailed) {
			t.Error(err)
		}
	}
	reopenSynced(t, mem, 100)
}

// noCache keeps no block: every read goes to the disk.
func noCache(t *testing.T) *Cache {
	t.Helper()
	c, err := NewCache(1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}
