package store

import (
	"fmt"

	"github.com/leat-run/leat/runtime"
)

// Checkpoint says how far the spool is committed, and what became of it.
type Checkpoint struct {
	// Through is the last row of the contiguous committed prefix; a restart replays what
	// comes after it.
	Through runtime.Seq
	// Balance counts how the rows up to Through ended, since the store began.
	Balance Balance
}

// Balance counts the branches of committed messages since the store began. The number of
// committed messages is the checkpoint's Through, since seqs are dense.
type Balance = runtime.Balance

func encodeCheckpoint(c Checkpoint) []byte {
	w := wireWriter{buf: []byte{checkpointFormat}}
	w.uint(uint64(c.Through))
	for _, field := range c.Balance.Counts() {
		w.uint(*field)
	}
	return w.buf
}

func decodeCheckpoint(value []byte) (Checkpoint, error) {
	r := openValue(value, checkpointFormat, "checkpoint")
	c := Checkpoint{Through: runtime.Seq(r.uint())}
	for _, field := range c.Balance.Counts() {
		*field = r.uint()
	}
	return c, r.close()
}

// Checkpoint returns the durable checkpoint; zero for a new store.
func (s *Store) Checkpoint() (Checkpoint, error) {
	s.durable.Lock()
	defer s.durable.Unlock()
	return s.durable.checkpoint, nil
}

// SetCheckpoint makes c durable and returns once it, or a later one, is. Calls of one
// moment coalesce to the latest, and ride in the group of rows at hand. One that is
// behind what was set before is answered with nil: it is superseded.
//
// REQUIRES: c.Through <= LastSeq, and a Balance that counts exactly the rows up to it.
func (s *Store) SetCheckpoint(c Checkpoint) error {
	if last := s.LastSeq(); c.Through > last {
		return fmt.Errorf("store: checkpoint %d is past the last row %d", c.Through, last)
	}
	if err := c.Balance.Check(); err != nil {
		return err
	}
	return s.submit(func(q *queue) *ticket { return q.putCheckpoint(c) })
}
