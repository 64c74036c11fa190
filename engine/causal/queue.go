package causal

import "fmt"

// Reader reads a task's stored state: the value of a key as the last written Flush left it,
// or nil where there is none. The task only reads what it returns, and may keep it.
type Reader interface {
	Get(key string) ([]byte, error)
}

// queue is a channel's hold queue: a FIFO on disk, of which only the indices are in memory,
// and those records that were pushed since the last Flush.
type queue struct {
	channel Channel
	span
	// lastOffset is the offset of the tail's record. REQUIRES: not empty.
	lastOffset int64

	// stored is the span as the last Flush left it on disk.
	stored span
	// fresh are the records with the indices [stored.tail, tail). Those that are popped before
	// the next Flush never touch the disk; their place here is set to zero.
	fresh []Record
}

func (q *queue) push(r Record) {
	q.fresh = append(q.fresh, r)
	q.tail++
	q.lastOffset = r.Offset
}

// pop drops the head. REQUIRES: not empty.
func (q *queue) pop() {
	if i := q.head - q.stored.tail; i >= 0 {
		q.fresh[i] = Record{}
	}
	q.head++
}

// peek is the head. REQUIRES: not empty.
func (q *queue) peek(stored Reader) (Record, error) {
	if i := q.head - q.stored.tail; i >= 0 {
		return q.fresh[i], nil
	}
	return q.read(stored, q.head)
}

func (q *queue) read(stored Reader, index int64) (Record, error) {
	key := KeyHeld(q.channel, index)
	value, err := stored.Get(key)
	if err != nil {
		return Record{}, fmt.Errorf("causal: read %s: %w", key, err)
	}
	if value == nil {
		return Record{}, &StateError{Key: key, Err: fmt.Errorf("it is missing")}
	}
	r, err := decodeHeld(q.channel, value)
	if err != nil {
		return Record{}, &StateError{Key: key, Err: err}
	}
	return r, nil
}

// flush appends what makes the disk agree with the queue, and makes it the stored state.
func (q *queue) flush(to []Mutation) []Mutation {
	if q.empty() && q.stored.empty() {
		q.reset()
		return to
	}
	for i := q.stored.head; i < min(q.head, q.stored.tail); i++ {
		to = append(to, Mutation{Key: KeyHeld(q.channel, i)})
	}
	for i := max(q.head, q.stored.tail); i < q.tail; i++ {
		to = append(to, Mutation{KeyHeld(q.channel, i), encodeHeld(q.fresh[i-q.stored.tail])})
	}
	if q.span != q.stored {
		to = append(to, Mutation{KeyQueue(q.channel), encodeSpan(q.span)})
	}
	q.stored = q.span
	q.release()
	return to
}

// reset takes back the indices of records that came and went between two flushes, so that
// plain delivery writes nothing about its queue.
func (q *queue) reset() {
	q.span = q.stored
	q.release()
}

// freshKept is the number of records for which memory is kept between two flushes.
const freshKept = 256

func (q *queue) release() {
	clear(q.fresh)
	q.fresh = q.fresh[:0]
	if cap(q.fresh) > freshKept {
		q.fresh = nil
	}
}
