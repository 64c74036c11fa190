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

// Balance counts the branches of committed messages since the store began. A message
// opens one branch when it enters and more as it fans out; each ends in one of the ways
// below. The number of committed messages is the checkpoint's Through, since seqs are dense.
type Balance struct {
	Opened           uint64 // branches, of committed messages
	Delivered        uint64 // written by a sink
	FilteredNull     uint64 // the guest said null
	FilteredNoOutput uint64 // the guest returned no message
	FilteredNoMatch  uint64 // no edge matched
	Dropped          uint64 // ended by an optional edge
	DeadLettered     uint64
	Orphaned         uint64 // rows of a node that the document no longer has
}

// Filtered is the sum over the reasons.
func (b Balance) Filtered() uint64 { return b.FilteredNull + b.FilteredNoOutput + b.FilteredNoMatch }

// Ended is the number of branches that ended, in whatever way.
func (b Balance) Ended() uint64 {
	return b.Delivered + b.Filtered() + b.Dropped + b.DeadLettered + b.Orphaned
}

// Check reports a balance that does not hold: a branch that ended nowhere, or twice.
func (b Balance) Check() error {
	if b.Opened != b.Ended() {
		return fmt.Errorf("store: balance: %d branches opened, %d ended: %+v", b.Opened, b.Ended(), b)
	}
	return nil
}

// Plus is the sum of two balances.
func (b Balance) Plus(c Balance) Balance {
	into, from := b.fields(), c.fields()
	for i := range into {
		*into[i] += *from[i]
	}
	return b
}

// fields lists the counts in the order in which they are stored.
func (b *Balance) fields() [8]*uint64 {
	return [8]*uint64{
		&b.Opened, &b.Delivered, &b.FilteredNull, &b.FilteredNoOutput, &b.FilteredNoMatch,
		&b.Dropped, &b.DeadLettered, &b.Orphaned,
	}
}

func encodeCheckpoint(c Checkpoint) []byte {
	w := wireWriter{buf: []byte{checkpointFormat}}
	w.uint(uint64(c.Through))
	for _, field := range c.Balance.fields() {
		w.uint(*field)
	}
	return w.buf
}

func decodeCheckpoint(value []byte) (Checkpoint, error) {
	r := openValue(value, checkpointFormat, "checkpoint")
	c := Checkpoint{Through: runtime.Seq(r.uint())}
	for _, field := range c.Balance.fields() {
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
