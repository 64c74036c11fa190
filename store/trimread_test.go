package store

import (
	"errors"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/leat-run/leat/runtime"
)

// hangingSyncs is a disk in memory whose log is not synced while hang is set, until release.
func hangingSyncs() (disk vfs.FS, hang *atomic.Bool, release chan struct{}) {
	hang, release = &atomic.Bool{}, make(chan struct{})
	disk = errorfs.Wrap(vfs.NewMem(), errorfs.InjectorFunc(func(op errorfs.Op) error {
		if hang.Load() && onLog(errorfs.OpFileSync, errorfs.OpFileSyncData)(op) {
			<-release
		}
		return nil
	}))
	return disk, hang, release
}

// Readers see a trim before it is durable. Rows that it took away are passed over and not found,
// as they are afterwards: the store is not called corrupt for the time of a sync.
func TestReadersPassOverATrimThatSyncs(t *testing.T) {
	disk, hang, release := hangingSyncs()
	s := open(t, "", Options{Ephemeral: true, FS: disk})
	if _, err := s.Append(testRows(100)); err != nil {
		t.Fatal(err)
	}
	if err := s.SetCheckpoint(Checkpoint{Through: 60}); err != nil {
		t.Fatal(err)
	}
	hang.Store(true)
	trimmed := make(chan error, 1)
	go func() { trimmed <- s.Trim(50) }()
	eventually(t, "the trim is applied", func() bool { _, err := s.get(rowKey(1)); return errors.Is(err, ErrNotFound) })
	first, rows := uint64(0), 0
	err := s.Rows(0, func(r Row) error {
		if rows++; first == 0 {
			first = uint64(r.Seq)
		}
		return nil
	})
	if err != nil || first != 51 || rows != 50 {
		t.Errorf("%d rows from %d on: %v", rows, first, err)
	}
	for _, seq := range []uint64{1, 50} {
		if _, err := s.ReadRow(runtime.Seq(seq)); !errors.Is(err, ErrNotFound) {
			t.Errorf("row %d: %v", seq, err)
		}
	}
	if row, err := s.ReadRow(51); err != nil || row.Seq != 51 {
		t.Errorf("row 51: %+v, %v", row, err)
	}
	if s.SpoolRows() != 100 {
		t.Errorf("%d rows are held durably, want 100", s.SpoolRows())
	}
	close(release)
	if err := <-trimmed; err != nil || s.SpoolRows() != 50 {
		t.Errorf("%v, %d rows are held", err, s.SpoolRows())
	}
}
