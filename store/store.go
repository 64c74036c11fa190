package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"github.com/leat-run/leat/runtime"
)

// Store is the durable side of one pipeline. Its methods are safe for concurrent use.
type Store struct {
	opt   Options
	dir   string // resolved; "" if ephemeral
	lease *lease // nil if ephemeral
	db    *pebble.DB
	queue *queue

	gate     *gate
	space    *space
	ballast  *ballast
	slow     *slowDisk
	presence *presence

	// given is how many bytes were deleted since the last flush for it: the disk has them still.
	given atomic.Uint64

	diskWatch io.Closer // Pebble's watch for slow operations

	// durable is what a crash could not take any more.
	durable struct {
		sync.Mutex
		mark
		checkpoint Checkpoint
		trimmed    mark
	}
	// gone is the last row that a trim took away, be it durable yet or not: readers see a trim
	// as soon as it is applied.
	gone atomic.Uint64

	// reads is held for reading around every use of db by a reader; Close holds it for
	// writing when it sets closed.
	reads struct {
		sync.RWMutex
		closed bool
	}

	failure struct {
		sync.Mutex
		err error
	}
	failed    chan struct{} // closed with the first failure
	closing   chan struct{} // closed when Close begins
	abandoned chan struct{} // closed when Close gives up on what is in flight
	ended     sync.WaitGroup
	closeOnce sync.Once
	closeErr  error
}

// mark is a place in the spool: a row, and the bytes of all rows up to and including it
// since the store began.
type mark struct {
	seq   runtime.Seq
	bytes uint64
}

// Open takes the lease of the directory, makes it if it is not there, and recovers what
// it holds. A second owner gets an *InUseError at once.
//
// The store is the caller's to Close.
func Open(dir string, o Options) (*Store, error) {
	o = o.withDefaults()
	if err := o.validate(); err != nil {
		return nil, err
	}
	s := &Store{
		opt: o, queue: newQueue(),
		failed: make(chan struct{}), closing: make(chan struct{}), abandoned: make(chan struct{}),
	}
	if err := s.takeLease(dir); err != nil {
		return nil, err
	}
	s.space, s.ballast, s.slow, s.presence = newSpace(s), newBallast(s), newSlowDisk(s), newPresence(s)
	if err := s.openPebble(); err != nil {
		return nil, errors.Join(err, s.giveUp())
	}
	if err := s.recover(); err != nil {
		return nil, errors.Join(err, s.closePebble())
	}
	s.start()
	return s, nil
}

// Exists says whether dir holds a store or a log, or is about to: Open makes one in any directory.
func Exists(dir string) bool {
	for _, name := range []string{pebbleDir, leaseName} {
		if _, err := os.Stat(filepath.Join(dir, name)); !errors.Is(err, fs.ErrNotExist) {
			return true // what cannot be looked at, Open says why
		}
	}
	return false
}

func (s *Store) takeLease(dir string) (err error) {
	if s.opt.Ephemeral {
		return nil
	}
	if s.dir, err = resolve(dir); err != nil {
		return err
	}
	s.lease, err = takeLease(s.dir, s.opt)
	return err
}

// resolve makes the directory and follows symlinks, so that two names of one directory
// are one lease.
func resolve(dir string) (string, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("store: make directory: %w", err)
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", fmt.Errorf("store: resolve %s: %w", dir, err)
	}
	if real, err = filepath.Abs(real); err != nil {
		return "", fmt.Errorf("store: resolve %s: %w", dir, err)
	}
	return real, nil
}

// syncAbove makes the names of a new store's directory, and of those that were made for it,
// survive the loss of power: Pebble syncs from that directory down. A directory that cannot be
// opened, or synced at all, is none that was just made here.
func (s *Store) syncAbove() error {
	if s.dir == "" || s.opt.Durability == DurabilityOS {
		return nil
	}
	for dir := filepath.Dir(s.dir); ; dir = filepath.Dir(dir) {
		if file, err := s.gate.FS.OpenDir(dir); err == nil {
			if err := errors.Join(file.Sync(), file.Close()); errors.Is(err, syscall.EIO) {
				return fmt.Errorf("store: sync %s: %w", dir, err)
			}
		}
		if dir == filepath.Dir(dir) {
			return nil
		}
	}
}

// Dir is the directory after symlinks, "" for an ephemeral store.
func (s *Store) Dir() string { return s.dir }

// Announce tells refused second owners where this one can be asked (its control socket).
func (s *Store) Announce(address string) error {
	if s.lease == nil {
		return nil
	}
	return s.lease.write(address)
}

// Failed is closed when the disk failed: the run must end, Err says why.
func (s *Store) Failed() <-chan struct{} { return s.failed }

// Err is nil, or an ErrFailed with its cause once Failed is closed.
func (s *Store) Err() error {
	s.failure.Lock()
	defer s.failure.Unlock()
	return s.failure.err
}

func (s *Store) fail(err error) {
	s.failure.Lock()
	defer s.failure.Unlock()
	if s.failure.err != nil {
		return
	}
	s.failure.err = fmt.Errorf("%w: %w", ErrFailed, err)
	close(s.failed)
}

// Close refuses the rows that are queued, lets what is in flight become durable, wakes
// every waiter and releases the lease. It is idempotent. No method may be relied on
// afterwards, but every one returns.
func (s *Store) Close() error {
	s.closeOnce.Do(func() { s.closeErr = s.close() })
	return s.closeErr
}

func (s *Store) close() error {
	close(s.closing)
	s.queue.close()
	if !s.awaitEnd() {
		close(s.abandoned)
		return errors.Join(s.Err(), s.giveUp())
	}
	return s.closePebble()
}

// awaitEnd waits for the goroutines; false says that the disk holds one of them.
func (s *Store) awaitEnd() bool {
	ended := make(chan struct{})
	go func() { s.ended.Wait(); close(ended) }()
	select {
	case <-ended:
		return s.Err() == nil
	case <-s.failed:
	case <-s.gate.full():
	}
	return false
}

// closePebble ends reading, closes the database and gives the lease back, unless the disk fails
// or fills up meanwhile.
func (s *Store) closePebble() error {
	s.shutReads()
	closed := make(chan error, 1)
	go func() { closed <- s.db.Close() }()
	select {
	case err := <-closed:
		return errors.Join(err, s.diskWatch.Close(), s.lease.release())
	case <-s.failed:
	case <-s.gate.full():
	}
	return errors.Join(s.Err(), s.giveUp())
}

func (s *Store) shutReads() {
	s.reads.Lock()
	defer s.reads.Unlock()
	s.reads.closed = true
}

// giveUp leaves a database that cannot be closed as it is: its goroutines stay parked at
// the gate until the process ends. The lease goes back once none of them can write.
func (s *Store) giveUp() error {
	s.shutReads()
	if !s.settle() {
		return nil // the kernel takes the lease back when the process ends
	}
	return s.lease.release()
}

// settleIn bounds how long Close waits for a call that hangs in the kernel.
const settleIn = 5 * time.Second

func (s *Store) settle() bool {
	s.gate.shut()
	select {
	case <-s.gate.mu.settled:
		_ = s.diskWatch.Close() // it stops looking; nothing is written by it
		return true
	case <-time.After(settleIn):
		return false
	}
}

// read runs f while the database is certain to be open.
func (s *Store) read(f func() error) error {
	s.reads.RLock()
	defer s.reads.RUnlock()
	if s.reads.closed {
		return ErrClosed
	}
	return s.readFault(f())
}

// readFault fails the store if err says that the disk cannot read what was written to it:
// after that nothing is promised, and the next reader may be told something else. Other
// errors are their caller's.
func (s *Store) readFault(err error) error {
	if !errors.Is(err, syscall.EIO) || errors.Is(err, ErrFailed) {
		return err
	}
	s.gate.shut()
	s.fail(err)
	return fmt.Errorf("%w: %w", ErrFailed, err)
}
