package store

import (
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
)

const (
	// DefaultSlowDisk is how long one operation on the disk may take before it is worth a
	// line in the log.
	DefaultSlowDisk = 5 * time.Second
	// slowEvery is how often at most such a line is logged.
	slowEvery = time.Minute
)

// slowDisk says which operation the disk is slow at, once a minute at most. Pebble's
// watch sees an operation while it still runs, so that a disk that hangs is named too.
//
// INVARIANT: told never blocks: Pebble's watch calls it, and a log may be on the disk that
// is slow. What it cannot hand over is counted.
type slowDisk struct {
	s      *Store
	events chan vfs.DiskSlowInfo
	last   time.Time // of the last line
	missed int       // events since
}

func newSlowDisk(s *Store) *slowDisk {
	return &slowDisk{s: s, events: make(chan vfs.DiskSlowInfo, 1)}
}

// under wraps the disk itself, below the gate: a call that is parked there waits for room
// and says so in its own words.
func (d *slowDisk) under(disk vfs.FS) vfs.FS {
	limit := d.s.opt.SlowDisk
	if d.s.opt.Ephemeral && d.s.opt.FS == nil {
		limit = 0 // memory is not watched
	}
	fs, closer := vfs.WithDiskHealthChecks(disk, limit, nil, d.told)
	d.s.diskWatch = closer
	return fs
}

func (d *slowDisk) told(i vfs.DiskSlowInfo) {
	select {
	case d.events <- i:
	default:
	}
}

// run logs until stop.
func (d *slowDisk) run(stop <-chan struct{}) {
	for {
		select {
		case <-stop:
			return
		case i := <-d.events:
			d.log(i)
		}
	}
}

func (d *slowDisk) log(i vfs.DiskSlowInfo) {
	now := d.s.opt.Now()
	if d.missed++; !d.last.IsZero() && now.Sub(d.last) < slowEvery {
		return
	}
	d.s.opt.Log.Warn("store: the disk is slow", "operation", i.OpType.String(), "file", i.Path,
		"bytes", i.WriteSize, "for", i.Duration.Round(time.Millisecond), "seen", d.missed)
	d.last, d.missed = now, 0
}
