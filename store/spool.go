package store

import (
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"github.com/leat-run/leat/runtime"
)

// Append puts rows at the end of the spool, in order and as one: they get consecutive
// seqs, of which it returns the first, and become durable together or not at all. It
// returns after they are, however long that takes, so that no row can exist whose caller
// has gone away.
//
// Errors: ErrFull before anything was written (wait for Unblocked); ErrTooLarge for more
// than MaxAppendBytes; ErrClosed; ErrFailed, after which the rows may or may not be there.
// The store reads the rows until it returns and keeps nothing of them.
func (s *Store) Append(rows []Row) (first runtime.Seq, err error) {
	if len(rows) == 0 {
		return 0, errors.New("store: append of no rows")
	}
	c, err := encodeAppend(rows)
	if err != nil {
		return 0, err
	}
	if err := s.space.admit(); err != nil {
		return 0, err
	}
	if err := s.submit(func(q *queue) *ticket { return q.putAppend(c) }); err != nil {
		return 0, err // who builds the group may still read the bodies
	}
	giveBack(c.bodies)
	return c.first, nil
}

func encodeAppend(rows []Row) (*appendCall, error) {
	size := 0
	for i := range rows {
		size += len(rows[i].Message.Payload) + 128
	}
	w := wireWriter{buf: bodyBuffer(size)}
	c := &appendCall{ticket: newTicket(), ends: make([]int, len(rows))}
	for i := range rows {
		w.rowBody(&rows[i])
		c.ends[i] = len(w.buf)
	}
	if c.bodies = w.buf; len(c.bodies) > MaxAppendBytes {
		return nil, fmt.Errorf("%w: %d bytes in one append, at most %d", ErrTooLarge, len(c.bodies), MaxAppendBytes)
	}
	return c, nil
}

// LastSeq is the last durable row; 0 if there never was one.
func (s *Store) LastSeq() runtime.Seq {
	s.durable.Lock()
	defer s.durable.Unlock()
	return s.durable.seq
}

// SpoolRows is how many durable rows the spool holds, the retained ones included.
func (s *Store) SpoolRows() int64 {
	s.durable.Lock()
	defer s.durable.Unlock()
	return int64(s.durable.seq - s.durable.trimmed.seq)
}

// SpoolBytes is their size as they were written, before compression.
func (s *Store) SpoolBytes() int64 {
	s.durable.Lock()
	defer s.durable.Unlock()
	return int64(s.durable.bytes - s.durable.trimmed.bytes)
}

// Rows calls fn with the durable rows after from, in order, up to the last one at the
// time of the call, until fn returns an error, which it then returns. Rows that were
// trimmed are passed over. fn may keep the row and may call the store, Close included.
func (s *Store) Rows(from runtime.Seq, fn func(Row) error) error {
	last := s.LastSeq()
	for from < last {
		chunk, err := s.chunk(from, last)
		if err != nil {
			return err
		}
		for _, row := range chunk {
			if err := fn(row); err != nil {
				return err
			}
			from = row.Seq
		}
		if len(chunk) == 0 {
			return nil // all of it was trimmed meanwhile
		}
	}
	return nil
}

// ReadRow returns one durable row, or ErrNotFound.
func (s *Store) ReadRow(seq runtime.Seq) (Row, error) {
	if seq == 0 || seq > s.LastSeq() {
		return Row{}, ErrNotFound
	}
	rows, err := s.chunk(seq-1, seq)
	if err == nil && len(rows) == 0 {
		err = ErrNotFound
	}
	if err != nil {
		return Row{}, err
	}
	return rows[0], nil
}

// A chunk bounds what Rows reads before it calls fn, so that no iterator, which pins
// files and memory, is open while fn blocks.
const (
	chunkRows  = 256
	chunkBytes = 1 << 20
)

func (s *Store) chunk(from, last runtime.Seq) (rows []Row, err error) {
	err = s.read(func() error {
		it, err := s.db.NewIter(&pebble.IterOptions{LowerBound: rowKey(max(from, s.trimmed()) + 1), UpperBound: rowKey(last + 1)})
		if err != nil {
			return fmt.Errorf("store: read rows: %w", err)
		}
		rows, err = s.collect(it, from)
		return errors.Join(err, it.Error(), it.Close())
	})
	return rows, err
}

func (s *Store) collect(it *pebble.Iterator, from runtime.Seq) (rows []Row, err error) {
	size := 0
	for ok := it.First(); ok && len(rows) < chunkRows && size < chunkBytes; ok = it.Next() {
		row, err := s.rowAt(it, from)
		if err != nil {
			return nil, err
		}
		from, rows, size = row.Seq, append(rows, row), size+len(it.Value())
	}
	return rows, nil
}

// rowAt reads the row under the iterator and checks that it follows the one before.
func (s *Store) rowAt(it *pebble.Iterator, before runtime.Seq) (Row, error) {
	seq, err := parseRowKey(it.Key())
	if err != nil {
		return Row{}, err
	}
	if seq != before+1 && seq-1 > s.trimmed() {
		return Row{}, fmt.Errorf("%w: row %d is followed by row %d", ErrCorrupt, before, seq)
	}
	row, _, err := decodeRow(append([]byte(nil), it.Value()...))
	if err != nil {
		return Row{}, fmt.Errorf("store: row %d: %w", seq, err)
	}
	row.Seq = seq
	return row, nil
}

func (s *Store) trimmed() runtime.Seq { return runtime.Seq(s.gone.Load()) }

// Trim removes the rows up to through, as far as the durable checkpoint allows, and
// returns once that is durable. The store trims by itself behind Options.Retention.
func (s *Store) Trim(through runtime.Seq) error {
	return s.submit(func(q *queue) *ticket { return q.putTrim(through, false) })
}
