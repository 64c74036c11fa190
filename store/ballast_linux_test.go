package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

func ballasted(s *Store) func() bool {
	return func() bool {
		info, err := os.Stat(filepath.Join(s.Dir(), ballastName))
		return err == nil && info.Size() == s.opt.BallastBytes
	}
}

func withBallast(t *testing.T, dir string) *Store {
	t.Helper()
	s := open(t, dir, Options{MinFreeBytes: 8 << 20, BallastBytes: 4 << 20})
	for s.SpoolBytes() < s.opt.BallastBytes {
		if _, err := s.Append(bigRows(4)); err != nil {
			t.Fatal(err)
		}
	}
	eventually(t, "the ballast is made", ballasted(s))
	return s
}

// A disk that somebody else filled to the last byte takes no rows, but dead letters and
// checkpoints: they go where the ballast was, whoever fills the disk still being there.
// When he is gone rows are accepted again and the ballast is made anew. Nothing that was
// acknowledged is lost.
func TestRealDiskBallastIsTheReserveOfDeadLetters(t *testing.T) {
	disk := smallDisk(t, "64m")
	s := withBallast(t, filepath.Join(disk, "store"))
	last := s.LastSeq()
	filler := fill(t, disk, 0)
	for n, err := 0, error(nil); !errors.Is(err, ErrFull); n++ {
		if _, err = s.Append(testRows(1)); err == nil {
			last = s.LastSeq() // the file system is asked every 20 ms at most
		}
	}
	const letters = 24 // 1.5 MiB, which the full disk alone does not hold
	for n := range letters {
		l := DeadLetter{ID: fmt.Sprint("letter", n), Message: bigRows(1)[0].Message}
		if err := s.PutLetter(l); err != nil {
			t.Fatal(n, err)
		}
	}
	if err := s.SetCheckpoint(Checkpoint{Through: last, Balance: Balance{Opened: 1, DeadLettered: 1}}); err != nil {
		t.Fatal(err)
	}
	if ballasted(s)() {
		t.Fatal("letters were written and the ballast is still there: the disk was not full")
	}
	if _, err := s.Append(testRows(1)); !errors.Is(err, ErrFull) {
		t.Fatal("rows take the reserve of dead letters:", err)
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	if err := s.Unblocked(unfinished(t)); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Append(testRows(1)); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the ballast is made anew", ballasted(s))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	lettersAndRows(t, s.Dir(), letters, int(last)+1)
}

func lettersAndRows(t *testing.T, dir string, letters, rows int) {
	t.Helper()
	s := open(t, dir, Options{MinFreeBytes: -1})
	n := 0
	if err := s.Letters(func(DeadLetter) error { n++; return nil }); err != nil || n != letters {
		t.Error("letters:", n, "of", letters, err)
	}
	if int(s.LastSeq()) != rows {
		t.Error("rows:", s.LastSeq(), "of", rows)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// A store opens on a disk that is full to the last byte: it gives its ballast up first.
func TestRealDiskFullStoreOpens(t *testing.T) {
	disk := smallDisk(t, "64m")
	s := withBallast(t, filepath.Join(disk, "store"))
	rows := int(s.LastSeq())
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	fill(t, disk, 0)
	lettersAndRows(t, s.Dir(), 0, rows)
}
