package causal

import (
	"fmt"
	"slices"
)

// clockVersion is the first byte of every encoded clock.
const clockVersion = 1

// Sizes in bytes of what repeats: the least that one more of it takes.
const (
	channelSize = 16 + 4
	claimSize   = channelSize + 8
	sinkSize    = 16
	headerSize  = 4 + 4
)

// AppendTo appends the clock's one encoding: byte version, int32 count, then per entry int64
// topic msb, int64 topic lsb, int32 partition, int64 offset, sorted by channel.
func (c Clock) AppendTo(dst []byte) []byte {
	dst = slices.Grow(dst, c.Size())
	dst = appendInt32(append(dst, clockVersion), len(c.entries))
	for _, e := range c.entries {
		dst = appendInt64(appendChannel(dst, e.Channel), e.Offset)
	}
	return dst
}

// Size is the length of the clock's encoding.
func (c Clock) Size() int { return 1 + 4 + len(c.entries)*claimSize }

// DecodeClock reads what AppendTo writes, and nothing else: another version, entries out of
// order, a channel twice, a negative offset or a byte too many are errors.
func DecodeClock(b []byte) (Clock, error) {
	c := cursor{left: b}
	clock := readClock(&c)
	if err := c.end(); err != nil {
		return Clock{}, fmt.Errorf("causal: not a clock: %w", err)
	}
	return clock, nil
}

func readClock(c *cursor) Clock {
	if v := c.byte(); v != clockVersion {
		c.fail("version %d, this is version %d", v, clockVersion)
	}
	n := c.count(claimSize)
	if n == 0 {
		return Clock{}
	}
	entries := make([]Coordinate, 0, n)
	for range n {
		e := Coordinate{Channel: c.channel(), Offset: c.int64()}
		if e.Offset < 0 {
			c.fail("offset %d", e.Offset)
		}
		if last := len(entries) - 1; last >= 0 && entries[last].Channel.Compare(e.Channel) >= 0 {
			c.fail("entries out of order")
		}
		entries = append(entries, e)
	}
	return Clock{entries}
}

// encodeFrontier: int64. -1 is a channel on which nothing was delivered yet.
func encodeFrontier(offset int64) []byte { return appendInt64(nil, offset) }

func decodeFrontier(b []byte) (int64, error) {
	c := cursor{left: b}
	offset := c.int64()
	if offset < -1 {
		c.fail("frontier %d", offset)
	}
	return offset, c.end()
}

// span is a hold queue's extent: the indices of its head and one past its tail.
type span struct{ head, tail int64 }

func (s span) empty() bool { return s.head == s.tail }
func (s span) len() int64  { return s.tail - s.head }

// encodeSpan: int64 head index, int64 tail index.
func encodeSpan(s span) []byte { return appendInt64(appendInt64(nil, s.head), s.tail) }

func decodeSpan(b []byte) (span, error) {
	c := cursor{left: b}
	s := span{head: c.int64(), tail: c.int64()}
	if s.head < 0 || s.tail < s.head {
		c.fail("indices %d and %d", s.head, s.tail)
	}
	return s, c.end()
}

// encodeHeld: int64 offset, int64 timestamp, int32 clock length, the clock, int32 key length
// (-1 = null), key, int32 value length (-1 = null), value, int32 header count, and per header
// the name and the value (-1 = null), each behind its int32 length.
func encodeHeld(r Record) []byte {
	size := 8 + 8 + 4 + r.Clock.Size() + 4 + len(r.Key) + 4 + len(r.Value) + 4
	for _, h := range r.Headers {
		size += headerSize + len(h.Name) + len(h.Value)
	}
	b := appendInt64(make([]byte, 0, size), r.Offset)
	b = appendInt64(b, r.Timestamp)
	b = r.Clock.AppendTo(appendInt32(b, r.Clock.Size()))
	b = appendBytes(appendBytes(b, r.Key), r.Value)
	b = appendInt32(b, len(r.Headers))
	for _, h := range r.Headers {
		b = append(appendInt32(b, len(h.Name)), h.Name...)
		b = appendBytes(b, h.Value)
	}
	return b
}

// decodeHeld reads a held record of the channel. The record shares the memory of b.
func decodeHeld(channel Channel, b []byte) (Record, error) {
	c := cursor{left: b}
	r := Record{Channel: channel, Offset: c.int64(), Timestamp: c.int64()}
	if r.Offset < 0 {
		c.fail("offset %d", r.Offset)
	}
	r.Clock = readNested(&c)
	r.Key, r.Value = c.bytes(), c.bytes()
	r.Headers = readHeaders(&c)
	if err := c.end(); err != nil {
		return Record{}, err
	}
	return r, nil
}

// readNested reads a clock behind its own length, which it must fill.
func readNested(c *cursor) Clock {
	nested := cursor{left: c.bytes(), fault: c.fault}
	clock := readClock(&nested)
	if err := nested.end(); err != nil {
		c.fail("clock: %w", err)
	}
	return clock
}

func readHeaders(c *cursor) []Header {
	n := c.count(headerSize)
	if n == 0 {
		return nil
	}
	headers := make([]Header, 0, n)
	for range n {
		name := c.bytes()
		if name == nil {
			c.fail("a header without a name")
		}
		headers = append(headers, Header{Name: string(name), Value: c.bytes()})
	}
	return headers
}
