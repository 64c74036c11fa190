package store

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/leat-run/leat/runtime"
)

// smallDisk mounts a tmpfs of so many bytes for the test.
func smallDisk(t *testing.T, bytes string) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+bytes); err != nil {
		t.Skipf("no small file system: mount: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// fill writes a file until the disk is full, or leaves so many bytes free.
func fill(t *testing.T, disk string, leave uint64) (path string) {
	t.Helper()
	path = filepath.Join(disk, "somebody-elses")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	block := make([]byte, 64<<10)
	for {
		var st syscall.Statfs_t
		if err := syscall.Statfs(disk, &st); err != nil {
			t.Fatal(err)
		}
		if st.Bavail*uint64(st.Bsize) <= leave {
			return path
		}
		if _, err := file.Write(block); err != nil {
			return path
		}
	}
}

func bigRows(n int) []Row {
	rows := testRows(n)
	for i := range rows {
		rows[i].Message.Payload = make([]byte, 64<<10)
	}
	return rows
}

// On a real file system that somebody else fills below the watermark, rows are refused
// before they are written, dead letters have their reserve, and all goes on when the
// file is gone.
func TestRealDiskBelowWatermark(t *testing.T) {
	disk := smallDisk(t, "64m")
	s := open(t, filepath.Join(disk, "store"), Options{MinFreeBytes: 24 << 20, BallastBytes: -1})
	filler := fill(t, disk, 16<<20)
	var err error
	for err == nil {
		_, err = s.Append(testRows(1))
	}
	if !errors.Is(err, ErrFull) {
		t.Fatal(err)
	}
	if !strings.Contains(err.Error(), "25165824 are needed (min_free_bytes)") {
		t.Error(err)
	}
	eventually(t, "what it waits for is said", func() bool {
		reason, _ := s.Blocked()
		return strings.Contains(reason, "28311552 are needed (min_free_bytes and an eighth, to go on)")
	})
	if err := s.PutLetter(DeadLetter{ID: "reserve", Message: bigRows(1)[0].Message}); err != nil {
		t.Fatal(err)
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
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// On a real file system that is full to the last byte, the append at hand waits at the
// gate and is accepted once there is room; nothing that was acknowledged is lost.
func TestRealDiskFullToTheLastByte(t *testing.T) {
	disk := smallDisk(t, "48m")
	dir := filepath.Join(disk, "store")
	s := open(t, dir, Options{MinFreeBytes: -1, BallastBytes: -1})
	if _, err := s.Append(testRows(1)); err != nil {
		t.Fatal(err)
	}
	filler := fill(t, disk, 0)
	full, stop, acked := s.gate.full(), make(chan struct{}), make(chan runtime.Seq)
	go func() { acked <- appendUntil(t, s, stop) }()
	<-full
	close(stop)
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	last := <-acked
	if err := s.Unblocked(unfinished(t)); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = open(t, dir, Options{MinFreeBytes: -1, BallastBytes: -1})
	if s.LastSeq() < last {
		t.Fatal(s.LastSeq(), last)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// appendUntil returns the last acknowledged row.
func appendUntil(t *testing.T, s *Store, stop <-chan struct{}) (last runtime.Seq) {
	for {
		first, err := s.Append(bigRows(4))
		if err == nil {
			last = first + 3
		} else if !errors.Is(err, ErrFull) {
			t.Error(err)
			return last
		}
		select {
		case <-stop:
			return last
		default:
		}
	}
}

// A store that is below the watermark by its own doing comes back by itself: what is committed
// while it blocks is given up as what was committed before, and the disk gets the room.
func TestRealDiskOwnRowsAreGivenUp(t *testing.T) {
	disk := smallDisk(t, "192m")
	s := open(t, filepath.Join(disk, "store"), Options{MinFreeBytes: 24 << 20, BallastBytes: -1})
	rows := bigRows(4)
	for i := range rows {
		_, _ = rand.NewChaCha8([32]byte{byte(i)}).Read(rows[i].Message.Payload)
	}
	var err error
	for err == nil {
		_, err = s.Append(rows)
	}
	if !errors.Is(err, ErrFull) {
		t.Fatal(err)
	}
	if err := s.SetCheckpoint(Checkpoint{Through: s.LastSeq(), Balance: Balance{Opened: 1, Delivered: 1}}); err != nil {
		t.Fatal(err)
	}
	if err := s.Unblocked(unfinished(t)); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Append(testRows(1)); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}
