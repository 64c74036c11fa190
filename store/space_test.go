package store

import (
	"strings"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// roomyFS is a file system that has as many bytes free as it is told.
type roomyFS struct {
	vfs.FS
	free *atomic.Uint64
}

func (f roomyFS) GetDiskUsage(string) (vfs.DiskUsage, error) {
	free := f.free.Load()
	return vfs.DiskUsage{AvailBytes: free, TotalBytes: 1 << 40, UsedBytes: 1<<40 - free}, nil
}

// Proves that a store below its watermark names one limit, the one that was configured, when it blocks and
// while it waits for the eighth more with which it goes on, and names that too.
func TestBlockedDiskNamesOneLimit(t *testing.T) {
	fs := roomyFS{vfs.NewMem(), new(atomic.Uint64)}
	fs.free.Store(1 << 30)
	s := open(t, "store", Options{FS: fs, MinFreeBytes: 8 << 20, BallastBytes: -1})
	fs.free.Store(7 << 20)
	const limits = "min_free_bytes is 8388608; it goes on with 9437184 free"
	for _, easing := range []bool{false, true} {
		if reason := s.lack(easing); reason != "disk: 7340032 bytes free, "+limits {
			t.Errorf("easing %v: %q", easing, reason)
		}
	}
	fs.free.Store(9<<20 - 1)
	if reason := s.lack(false); reason != "" {
		t.Error(reason)
	}
	if reason := s.lack(true); !strings.HasSuffix(reason, limits) {
		t.Error(reason)
	}
	fs.free.Store(9 << 20)
	if reason := s.lack(true); reason != "" {
		t.Error(reason)
	}
}
