package store

import (
	"fmt"
	"log/slog"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// Durability is what "durable" means for a store.
type Durability string

const (
	// DurabilityFsync survives the loss of the machine's power. The default.
	DurabilityFsync Durability = "fsync"
	// DurabilityOS survives the death of the process, not of the machine.
	DurabilityOS Durability = "os"
)

// Bounds and defaults of Options.
const (
	DefaultWriteRows    = 256
	MaxWriteRows        = 2000
	DefaultMaxBytes     = 10 << 30
	DefaultMinFreeBytes = 256 << 20
	DefaultRetention    = 10_000
	// MaxAppendBytes bounds the encoded rows of one Append.
	MaxAppendBytes = 256 << 20

	groupBytes     = 1 << 20
	groupsInFlight = 4
	trimWindow     = 10_000
	memTableBytes  = 32 << 20
)

// Options of Open. The zero value is the documented default.
type Options struct {
	// Ephemeral keeps everything in memory: dir is ignored, nothing outlives Close.
	Ephemeral bool
	// Durability is what Append waits for; "" is DurabilityFsync.
	Durability Durability
	// WriteRows closes a group once it holds as many rows; 0 is DefaultWriteRows. One
	// Append is never split, so a group may be larger by one call.
	WriteRows int
	// WriteWait is how long a group may wait for company; 0 is not at all. It buys yields to
	// the scheduler, up to companyYields, and never sleep.
	WriteWait time.Duration
	// MaxBytes bounds the rows in the spool, as they were written; 0 is DefaultMaxBytes,
	// negative is no bound.
	MaxBytes int64
	// MinFreeBytes is what must stay free on the file system for rows to be accepted; 0
	// is DefaultMinFreeBytes, negative is no bound.
	MinFreeBytes int64
	// Retention is how many committed rows stay readable behind the checkpoint; 0 is
	// DefaultRetention, negative is none.
	Retention int64
	// BallastBytes is the room kept for the store itself on a disk that others fill; 0 is
	// twice the memtable, negative is none. It is taken once the store holds as much.
	BallastBytes int64
	// Cache is shared by the stores of one process; nil gives this one a small one of its own.
	Cache *Cache
	// SlowDisk is how long one operation on the disk may take before it is logged; 0 is
	// DefaultSlowDisk, negative is never. It is looked at every two seconds.
	SlowDisk time.Duration
	// Address is what a refused second owner is told; see Store.Announce.
	Address string
	// Now is the clock; nil is time.Now.
	Now func() time.Time
	// Log receives what Pebble has to say and changes of state; nil drops it.
	Log *slog.Logger
	// FS replaces the file system, for tests; nil is the machine's. The lease then still
	// is a file of the machine, unless Ephemeral.
	FS vfs.FS
}

func (o Options) withDefaults() Options {
	orDefault(&o.Durability, DurabilityFsync)
	orDefault(&o.WriteRows, DefaultWriteRows)
	orDefault(&o.MaxBytes, DefaultMaxBytes)
	orDefault(&o.MinFreeBytes, DefaultMinFreeBytes)
	orDefault(&o.Retention, DefaultRetention)
	orDefault(&o.BallastBytes, 2*memTableBytes)
	orDefault(&o.SlowDisk, DefaultSlowDisk)
	o.Retention, o.SlowDisk = max(o.Retention, 0), max(o.SlowDisk, 0)
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

func orDefault[T comparable](field *T, def T) {
	var zero T
	if *field == zero {
		*field = def
	}
}

func (o Options) validate() error {
	if o.Durability != DurabilityFsync && o.Durability != DurabilityOS {
		return fmt.Errorf("store: unknown durability %q: fsync or os", o.Durability)
	}
	if o.WriteRows < 1 || o.WriteRows > MaxWriteRows {
		return fmt.Errorf("store: write rows must be 1 to %d, is %d", MaxWriteRows, o.WriteRows)
	}
	return nil
}
