package engine

// deliveryQueue is first in, first out, in chunks: it grows without copying what waits, and
// what it shrinks by goes back to the collector, but for a few chunks that the next ones are
// put into. The zero value is an empty queue.
type deliveryQueue struct {
	first, last *deliveryChunk // linked by next
	head, tail  int            // the queue is first.items[head:] to last.items[:tail]
	len         int
	spare       *deliveryChunk // empty ones, linked by next
	spares      int
}

type deliveryChunk struct {
	items [chunkItems]delivery
	next  *deliveryChunk
}

const (
	chunkItems  = 64
	spareChunks = 8 // that an empty queue keeps at most
)

// push appends items.
func (q *deliveryQueue) push(items []delivery) {
	q.len += len(items)
	for len(items) > 0 {
		if q.last == nil || q.tail == chunkItems {
			q.extend()
		}
		n := copy(q.last.items[q.tail:], items)
		q.tail += n
		items = items[n:]
	}
}

// pop appends up to most items to buf and forgets them.
func (q *deliveryQueue) pop(buf []delivery, most int) []delivery {
	for most > 0 && q.len > 0 {
		end := chunkItems
		if q.first == q.last {
			end = q.tail
		}
		taken := q.first.items[q.head:min(end, q.head+most)]
		buf = append(buf, taken...)
		clear(taken)
		q.head, q.len, most = q.head+len(taken), q.len-len(taken), most-len(taken)
		if q.head == chunkItems || q.len == 0 {
			q.dropFirst()
		}
	}
	return buf
}

func (q *deliveryQueue) extend() {
	c := q.spare
	if c == nil {
		c = &deliveryChunk{}
	} else {
		q.spare, c.next = c.next, nil
		q.spares--
	}
	if q.last == nil {
		q.first, q.head = c, 0
	} else {
		q.last.next = c
	}
	q.last, q.tail = c, 0
}

// dropFirst takes the first chunk out, of which nothing is left.
func (q *deliveryQueue) dropFirst() {
	c := q.first
	q.first, q.head = c.next, 0
	if q.first == nil {
		q.last, q.tail = nil, 0
	}
	c.next = nil
	if q.spares < spareChunks {
		c.next, q.spare = q.spare, c
		q.spares++
	}
}
