package store

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

// fault injects err into operations that match, while it is armed.
type fault struct {
	armed atomic.Bool
	err   error
	match func(errorfs.Op) bool
}

func (f *fault) fs(inner vfs.FS) vfs.FS {
	return errorfs.Wrap(inner, errorfs.InjectorFunc(func(op errorfs.Op) error {
		if f.armed.Load() && f.match(op) {
			return f.err
		}
		return nil
	}))
}

func onLog(kinds ...errorfs.OpKind) func(errorfs.Op) bool {
	return func(op errorfs.Op) bool {
		return slices.Contains(kinds, op.Kind) && filepath.Ext(op.Path) == ".log"
	}
}

// A failed sync or write of the log, of whatever error, fails the store: the waiting
// Append and every later call get ErrFailed with the cause, Failed is closed, reads go
// on, Close returns. The process lives: Pebble never saw the error. What was acknowledged
// before is there when the disk is opened again.
func TestDiskFaultFailsTheStore(t *testing.T) {
	for name, f := range map[string]*fault{
		"log sync EIO":    {err: syscall.EIO, match: onLog(errorfs.OpFileSync, errorfs.OpFileSyncData)},
		"log sync ENOSPC": {err: syscall.ENOSPC, match: onLog(errorfs.OpFileSync, errorfs.OpFileSyncData)},
		"log write EIO":   {err: syscall.EIO, match: onLog(errorfs.OpFileWrite)},
		"every write EIO": {err: syscall.EIO, match: func(op errorfs.Op) bool { return op.Kind.ReadOrWrite() == errorfs.OpIsWrite }},
	} {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			if inChild(t) {
				failUnder(t, f)
			}
		})
	}
}

func failUnder(t *testing.T, f *fault) {
	mem := vfs.NewMem()
	s := open(t, "", Options{Ephemeral: true, FS: f.fs(mem)})
	if _, err := s.Append(testRows(10)); err != nil {
		t.Fatal(err)
	}
	f.armed.Store(true)
	if _, err := s.Append(testRows(10)); !errors.Is(err, ErrFailed) || !errors.Is(err, f.err) {
		t.Fatal(err)
	}
	<-s.Failed()
	for _, err := range []error{
		s.Err(), s.SetCheckpoint(Checkpoint{}), s.SetNodeState("n", 1, nil), s.PutLetter(DeadLetter{ID: "x"}),
		s.Trim(1), s.Unblocked(unfinished(t)),
	} {
		if !errors.Is(err, ErrFailed) {
			t.Error(err)
		}
	}
	seen := 0
	if err := s.Rows(0, func(Row) error { seen++; return nil }); err != nil || seen != 10 {
		t.Fatal("durable rows are readable, and no others:", seen, err)
	}
	if err := s.Close(); !errors.Is(err, ErrFailed) {
		t.Fatal(err)
	}
	again := open(t, "", Options{Ephemeral: true, FS: mem})
	if again.LastSeq() < 10 {
		t.Fatal("acknowledged rows are lost:", again.LastSeq())
	}
}

// unfinished is a context that ends with the test.
func unfinished(t *testing.T) context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	return ctx
}

// A disk without space parks the write, not the process: the Append in flight waits,
// the next is refused with ErrFull before anything is written, Blocked says why; when
// there is room, all goes on by itself and nothing is lost.
func TestNoSpaceBlocksAndHeals(t *testing.T) {
	f := &fault{err: syscall.ENOSPC, match: onLog(errorfs.OpFileWrite)}
	mem := vfs.NewMem()
	s := open(t, "", Options{Ephemeral: true, FS: f.fs(mem)})
	f.armed.Store(true)
	full, answer := s.gate.full(), make(chan error)
	go func() {
		_, err := s.Append(testRows(10))
		answer <- err
	}()
	<-full
	s.space.recheck()
	if _, err := s.Append(testRows(1)); !errors.Is(err, ErrFull) {
		t.Fatal(err)
	}
	if reason, since := s.Blocked(); reason == "" || since.IsZero() {
		t.Fatal(reason, since)
	}
	f.armed.Store(false)
	if err := <-answer; err != nil {
		t.Fatal(err)
	}
	if err := s.Unblocked(unfinished(t)); err != nil {
		t.Fatal(err)
	}
	if first, err := s.Append(testRows(1)); err != nil || first != 11 {
		t.Fatal(first, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if again := open(t, "", Options{Ephemeral: true, FS: mem}); again.LastSeq() != 11 {
		t.Fatal(again.LastSeq())
	}
}

// Close on a disk without space returns and wakes every waiter; it does not wait for room.
func TestCloseWhileFullWakesEveryWaiter(t *testing.T) {
	if !inChild(t) {
		return
	}
	f := &fault{err: syscall.ENOSPC, match: onLog(errorfs.OpFileWrite)}
	s := open(t, "", Options{Ephemeral: true, FS: f.fs(vfs.NewMem())})
	f.armed.Store(true)
	full, answers := s.gate.full(), make(chan error)
	for range 8 {
		go func() {
			_, err := s.Append(testRows(3))
			answers <- err
		}()
	}
	<-full
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for range 8 {
		if err := <-answers; !errors.Is(err, ErrClosed) && !errors.Is(err, ErrFull) {
			t.Fatal(err)
		}
	}
}

// A disk that is full or broken when the store is opened is said, not waited for.
func TestOpenOnABadDisk(t *testing.T) {
	if !inChild(t) {
		return
	}
	for err, want := range map[error]error{syscall.ENOSPC: ErrFull, syscall.EIO: ErrFailed} {
		f := &fault{err: err, match: func(op errorfs.Op) bool { return op.Kind == errorfs.OpFileWrite }}
		f.armed.Store(true)
		if _, got := Open("", Options{Ephemeral: true, FS: f.fs(vfs.NewMem())}); !errors.Is(got, want) {
			t.Error(err, "gives", got)
		}
	}
}
