package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/leat-run/leat/runtime"
)

// Many callers at once: every one gets the seqs of its own rows, consecutive and in its
// order, and together they are 1..n without a hole (also run under -race).
func TestEveryCallerGetsItsOwnSeqs(t *testing.T) {
	s := open(t, "", Options{Ephemeral: true, WriteRows: 16})
	var callers sync.WaitGroup
	for caller := range 32 {
		callers.Go(func() {
			for n := range 10 {
				appendTagged(t, s, fmt.Sprintf("%d-%d", caller, n), 1+caller%5)
			}
		})
	}
	callers.Wait()
	want := runtime.Seq(0)
	for caller := range 32 {
		want += runtime.Seq(10 * (1 + caller%5))
	}
	if s.LastSeq() != want {
		t.Fatal(s.LastSeq(), want)
	}
}

func appendTagged(t *testing.T, s *Store, tag string, n int) {
	rows := testRows(n)
	for i := range rows {
		rows[i].Message.ID = fmt.Sprint(tag, "/", i)
	}
	first, err := s.Append(rows)
	if err != nil {
		t.Error(err)
		return
	}
	for i := range rows {
		row, err := s.ReadRow(first + runtime.Seq(i))
		if err != nil || row.Message.ID != rows[i].Message.ID {
			t.Errorf("row %d is %q, want %q: %v", row.Seq, row.Message.ID, rows[i].Message.ID, err)
		}
	}
}

// Close answers every Append that runs: with a seq, and then the rows are there after a
// restart, or with ErrClosed, and then they are not. No row exists that nobody knows.
func TestCloseOrphansNoRow(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, Options{})
	var mu sync.Mutex
	accepted := map[string]bool{}
	var callers sync.WaitGroup
	begun := make(chan struct{}, 1)
	for caller := range 16 {
		callers.Go(func() {
			for n := 0; ; n++ {
				rows := testRows(1)
				rows[0].Message.ID = fmt.Sprint(caller, "-", n)
				if _, err := s.Append(rows); errors.Is(err, ErrClosed) {
					return
				} else if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				accepted[rows[0].Message.ID] = true
				mu.Unlock()
				select {
				case begun <- struct{}{}:
				default:
				}
			}
		})
	}
	<-begun
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	callers.Wait()
	s = open(t, dir, Options{})
	if err := s.Rows(0, func(r Row) error {
		if !accepted[r.Message.ID] {
			t.Errorf("row %d of %s: nobody was told", r.Seq, r.Message.ID)
		}
		delete(accepted, r.Message.ID)
		return nil
	}); err != nil || len(accepted) > 0 {
		t.Fatal("accepted and lost:", accepted, err)
	}
}

// What is behind never replaces what is ahead, and is answered all the same: checkpoints
// by Through, states by rank, within a run and over a restart.
func TestNothingGoesBack(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, Options{})
	if _, err := s.Append(testRows(20)); err != nil {
		t.Fatal(err)
	}
	set := func(through uint64) {
		t.Helper()
		c := Checkpoint{Through: runtime.Seq(through), Balance: Balance{Opened: through, Delivered: through}}
		if err := s.SetCheckpoint(c); err != nil {
			t.Fatal(err)
		}
	}
	set(9)
	set(4)
	for rank, state := range map[uint64]string{3: "three", 1: "one", 2: "two"} {
		if err := s.SetNodeState("n", rank, []byte(state)); err != nil {
			t.Fatal(err)
		}
	}
	s.SaveNodeState("sink", []byte("first"))
	s.SaveNodeState("sink", []byte("last"))
	if err := s.SetCheckpoint(Checkpoint{Through: 21}); err == nil {
		t.Fatal("a checkpoint past the last row was taken")
	}
	if err := s.SetCheckpoint(Checkpoint{Through: 10, Balance: Balance{Opened: 10}}); err == nil {
		t.Fatal("a balance that does not hold was taken")
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = open(t, dir, Options{})
	set(2)
	if got, _ := s.Checkpoint(); got.Through != 9 || got.Balance.Opened != 9 {
		t.Fatalf("%+v", got)
	}
	for node, want := range map[string]string{"n": "three", "sink": "last"} {
		if state, err := s.NodeState(node); err != nil || string(state) != want {
			t.Fatalf("%s: %q, %v", node, state, err)
		}
	}
}

// One call of a group that fails fails alone: rows and letters beside it go through.
func TestAFaultyCallFailsAlone(t *testing.T) {
	s := open(t, "", Options{Ephemeral: true})
	if err := s.db.Set(kindLetterID.name("bad"), []byte{99}, nil); err != nil {
		t.Fatal(err)
	}
	var calls sync.WaitGroup
	calls.Go(func() {
		if err := s.PutLetter(DeadLetter{ID: "bad"}); !errors.Is(err, ErrFormat) {
			t.Error(err)
		}
	})
	calls.Go(func() {
		if err := s.PutLetter(DeadLetter{ID: "good"}); err != nil {
			t.Error(err)
		}
	})
	calls.Go(func() {
		if _, err := s.Append(testRows(3)); err != nil {
			t.Error(err)
		}
	})
	calls.Wait()
	if _, err := s.Letter("good"); err != nil {
		t.Fatal(err)
	}
}

// Rows go behind the durable checkpoint only, whatever is asked; numbers follow; a trimmed
// row is not found, the ones after it are; seqs go on after everything was trimmed.
func TestTrimStaysBehindTheCheckpoint(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, Options{})
	if _, err := s.Append(testRows(100)); err != nil {
		t.Fatal(err)
	}
	if err := s.Trim(50); err != nil || s.SpoolRows() != 100 {
		t.Fatal("trimmed without a checkpoint:", s.SpoolRows(), err)
	}
	if err := s.SetCheckpoint(Checkpoint{Through: 60, Balance: Balance{Opened: 1, Dropped: 1}}); err != nil {
		t.Fatal(err)
	}
	if err := s.Trim(1000); err != nil || s.SpoolRows() != 40 {
		t.Fatal(s.SpoolRows(), err)
	}
	held := s.SpoolBytes()
	if _, err := s.ReadRow(60); !errors.Is(err, ErrNotFound) {
		t.Fatal(err)
	}
	if row, err := s.ReadRow(61); err != nil || row.Seq != 61 {
		t.Fatal(row, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = open(t, dir, Options{})
	if s.SpoolRows() != 40 || s.SpoolBytes() != held || held <= 0 {
		t.Fatal(s.SpoolRows(), s.SpoolBytes(), held)
	}
	if err := s.SetCheckpoint(Checkpoint{Through: 100}); err != nil {
		t.Fatal(err)
	}
	if err := s.Trim(100); err != nil || s.SpoolRows() != 0 || s.SpoolBytes() != 0 {
		t.Fatal(s.SpoolRows(), s.SpoolBytes(), err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = open(t, dir, Options{})
	if first, err := s.Append(testRows(1)); err != nil || first != 101 {
		t.Fatal(first, err)
	}
}

// The store trims by itself, a window at a time, and keeps the retention.
func TestRetentionIsKeptAndNoMore(t *testing.T) {
	s := open(t, "", Options{Ephemeral: true, Retention: 500})
	for range 30 {
		first, err := s.Append(testRows(1000))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.SetCheckpoint(Checkpoint{Through: first + 999}); err != nil {
			t.Fatal(err)
		}
		if rows := s.SpoolRows(); rows > 500+trimWindow+1000 || rows < min(500, int64(first)) {
			t.Fatal(rows)
		}
	}
}

// A spool at max_bytes refuses rows and nothing else; when its rows are committed, what is
// kept for replay is given up and rows are accepted again.
func TestMaxBytesBlocksUntilCommitted(t *testing.T) {
	s := open(t, "", Options{Ephemeral: true, MaxBytes: 64 << 10})
	var err error
	for err == nil {
		_, err = s.Append(testRows(100))
	}
	if !errors.Is(err, ErrFull) {
		t.Fatal(err)
	}
	if err := s.PutLetter(DeadLetter{ID: "still"}); err != nil {
		t.Fatal(err)
	}
	if err := s.SetCheckpoint(Checkpoint{Through: s.LastSeq()}); err != nil {
		t.Fatal(err)
	}
	if err := s.Unblocked(unfinished(t)); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Append(testRows(1)); err != nil {
		t.Fatal(err)
	}
}

// A letter that fails again replaces itself and keeps its place; deleting is bounded,
// oldest first, and forgets the ID.
func TestLettersKeepTheirPlace(t *testing.T) {
	s := open(t, "", Options{Ephemeral: true})
	at := func(second int64) time.Time { return time.Unix(second, 0).UTC() }
	for i, id := range []string{"c", "a", "b"} {
		if err := s.PutLetter(DeadLetter{ID: id, CreatedAt: at(int64(i)), FailedAt: at(9)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.PutLetter(DeadLetter{ID: "c", CreatedAt: at(100), FailedAt: at(100), Attempts: 2}); err != nil {
		t.Fatal(err)
	}
	if l, err := s.Letter("c"); err != nil || l.Attempts != 2 || !l.CreatedAt.Equal(at(0)) {
		t.Fatal(l, err)
	}
	if n, err := s.DeleteLettersBefore(at(50), 2); err != nil || n != 2 {
		t.Fatal(n, err)
	}
	var left []string
	if err := s.Letters(func(l DeadLetter) error { left = append(left, l.ID); return nil }); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Letter("c"); fmt.Sprint(left) != "[b]" || !errors.Is(err, ErrNotFound) {
		t.Fatal(left, err)
	}
	if err := s.DeleteLetters("b", "never"); err != nil {
		t.Fatal(err)
	}
}

// A second owner through a symlink is refused: two names of a directory are one lease.
// Whoever reads the lock file meanwhile does not take the lease away.
func TestC56SymlinkIsTheSameStore(t *testing.T) {
	dir := t.TempDir()
	open(t, filepath.Join(dir, "real"), Options{})
	if err := os.Symlink(filepath.Join(dir, "real"), filepath.Join(dir, "alias")); err != nil {
		t.Fatal(err)
	}
	if _, err := os.ReadFile(filepath.Join(dir, "real", leaseName)); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(filepath.Join(dir, "alias"), Options{}); !errors.Is(err, ErrInUse) {
		t.Fatal(err)
	}
}
