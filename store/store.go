package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
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

	// durable is what a crash could not take any more.
	durable struct {
		sync.Mutex
		mark
		checkpoint Checkpoint
		trimmed    mark
	}

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
	s := &Store{opt: o, queue: newQueue(), failed: make(chan struct{}), abandoned: make(chan struct{})}
	if err := s.takeLease(dir); err != nil {
		return nil, err
	}
	if err := s.openPebble(); err != nil {
		return nil, errors.Join(err, s.lease.release())
	}
	if err := s.recover(); err != nil {
		return nil, errors.Join(err, s.db.Close(), s.lease.release())
	}
	s.start()
	return s, nil
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

// Dir is the directory after symlinks, "" for an ephemeral store.
func (s *Store) Dir() string { return s.dir }

// Announce tells refused second owners where this one can be asked (its control socket).
func (s *Store) Announce(address string) error {
	if s.lease == nil {
		return nil
	}
	return s.lease.write(address)
}

// Blocked says why rows are refused with ErrFull and since when; "" if they are not.
func (s *Store) Blocked() (reason string, since time.Time) { return "", time.Time{} }

// Unblocked returns nil once rows are accepted again, at once if they are. It returns
// ctx's error, ErrFailed or ErrClosed if that comes first.
func (s *Store) Unblocked(ctx context.Context) error { return ctx.Err() }

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
	s.queue.close()
	s.ended.Wait()
	s.reads.Lock()
	s.reads.closed = true
	s.reads.Unlock()
	return errors.Join(s.db.Close(), s.lease.release())
}

// read runs f while the database is certain to be open.
func (s *Store) read(f func() error) error {
	s.reads.RLock()
	defer s.reads.RUnlock()
	if s.reads.closed {
		return ErrClosed
	}
	return f()
}
