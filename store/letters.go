package store

import (
	"bytes"
	"errors"
	"fmt"
	"time"

	"github.com/cockroachdb/pebble/v2"
)

// letterCall puts one letter, or deletes it if it has no body.
type letterCall struct {
	*ticket
	id      string
	created time.Time
	body    []byte
}

// PutLetter makes a letter durable. A letter of an ID that is there is replaced and keeps
// its place and its CreatedAt. It is accepted while rows are refused for want of room.
func (s *Store) PutLetter(l DeadLetter) error {
	if l.ID == "" {
		return fmt.Errorf("store: a dead letter needs an id")
	}
	c := &letterCall{ticket: newTicket(), id: l.ID, created: l.CreatedAt, body: encodeLetter(&l)}
	return s.submit(func(q *queue) *ticket { return q.putLetter(c) })
}

// DeleteLetters removes letters for good. An ID that is not there is no error.
func (s *Store) DeleteLetters(ids ...string) error {
	var tickets []*ticket
	for _, id := range ids {
		c := &letterCall{ticket: newTicket(), id: id}
		t, err := s.enqueue(func(q *queue) *ticket { return q.putLetter(c) })
		if err != nil {
			return err
		}
		tickets = append(tickets, t)
	}
	for _, t := range tickets {
		if err := s.wait(t); err != nil {
			return err
		}
	}
	return nil
}

// DeleteLettersBefore removes the oldest letters created before t, at most so many of
// them, and says how many it was.
func (s *Store) DeleteLettersBefore(t time.Time, most int) (int, error) {
	var ids []string
	err := s.scanLetters(letterKey(t, ""), func(l DeadLetter) error {
		if len(ids) >= most {
			return errStop
		}
		ids = append(ids, l.ID)
		return nil
	})
	if err != nil && !errors.Is(err, errStop) {
		return 0, err
	}
	return len(ids), s.DeleteLetters(ids...)
}

var errStop = errors.New("store: stop")

// Letter returns the letter of that id, or ErrNotFound.
func (s *Store) Letter(id string) (l DeadLetter, err error) {
	err = s.read(func() error {
		value, err := s.get(kindLetterID.name(id))
		if err != nil {
			return err
		}
		where, err := decodeLetterID(value)
		if err != nil {
			return err
		}
		if value, err = s.get(where); err != nil {
			return err
		}
		l, err = readLetter(where, value)
		return err
	})
	return l, err
}

// Letters calls fn with every letter, the oldest first, until fn returns an error, which
// it then returns. fn may keep the letter and may call the store.
func (s *Store) Letters(fn func(DeadLetter) error) error {
	return s.scanLetters(kindLetter.end(), fn)
}

// scanLetters reads a chunk at a time, like Rows and for the same reason.
func (s *Store) scanLetters(end []byte, fn func(DeadLetter) error) error {
	for from := kindLetter.start(); ; {
		letters, next, err := s.letterChunk(from, end)
		if err != nil {
			return err
		}
		for _, l := range letters {
			if err := fn(l); err != nil {
				return err
			}
		}
		if from = next; from == nil {
			return nil
		}
	}
}

// letterChunk returns the key at which the next chunk starts, nil after the last.
func (s *Store) letterChunk(from, end []byte) (letters []DeadLetter, next []byte, err error) {
	err = s.read(func() error {
		it, err := s.db.NewIter(&pebble.IterOptions{LowerBound: from, UpperBound: end})
		if err != nil {
			return fmt.Errorf("store: read letters: %w", err)
		}
		size := 0
		for ok := it.First(); ok && err == nil && next == nil; ok = it.Next() {
			if len(letters) == chunkRows || size > chunkBytes {
				next = bytes.Clone(it.Key())
				break
			}
			var l DeadLetter
			l, err = readLetter(it.Key(), bytes.Clone(it.Value()))
			letters, size = append(letters, l), size+len(it.Value())
		}
		return errors.Join(err, it.Error(), it.Close())
	})
	return letters, next, err
}

func (c *committer) addLetters(g *group, calls []*letterCall) {
	for _, call := range calls {
		if err := c.addLetter(g, call); err != nil {
			call.resolve(err)
			continue
		}
		g.tickets = append(g.tickets, call.ticket)
	}
}

func (c *committer) addLetter(g *group, call *letterCall) error {
	where, err := c.letterPlace(g, call.id)
	if err != nil || (call.body == nil && where == nil) {
		return err
	}
	idKey := kindLetterID.name(call.id)
	if call.body == nil {
		must(g.wb.Delete(idKey, nil))
		must(g.wb.Delete(where, nil))
		g.places[call.id] = nil
		return nil
	}
	if where == nil {
		where = letterKey(call.created, call.id)
		must(g.wb.Set(idKey, encodeLetterID(where), nil))
		g.places[call.id] = where
	}
	must(g.wb.Set(where, call.body, nil))
	return nil
}

// letterPlace returns the key of the letter of that id, nil if there is none, as this
// group so far and all before it leave it.
func (c *committer) letterPlace(g *group, id string) ([]byte, error) {
	if where, ok := g.places[id]; ok {
		return where, nil
	}
	value, err := c.s.get(kindLetterID.name(id))
	if errors.Is(err, ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return decodeLetterID(value)
}

// A letter ID's value is the key of the letter after the format byte.
func encodeLetterID(where []byte) []byte { return append([]byte{letterIDFormat}, where...) }

func decodeLetterID(value []byte) ([]byte, error) {
	r := openValue(value, letterIDFormat, "letter id")
	if r.err != nil {
		return nil, r.err
	}
	_, _, err := parseLetterKey(r.rest)
	return r.rest, err
}
