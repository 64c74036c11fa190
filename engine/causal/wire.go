package causal

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// cursor reads big-endian fields off the front of a value. The first fault sticks: later
// reads yield zeros, so that a decoder checks once, at its end.
type cursor struct {
	left  []byte
	fault error
}

func (c *cursor) fail(format string, args ...any) {
	if c.fault == nil {
		c.fault = fmt.Errorf(format, args...)
	}
}

func (c *cursor) take(n int) []byte {
	if c.fault != nil {
		return nil
	}
	if n > len(c.left) {
		c.fail("%d bytes where %d are needed", len(c.left), n)
		return nil
	}
	taken := c.left[:n:n]
	c.left = c.left[n:]
	return taken
}

func (c *cursor) byte() byte {
	if b := c.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (c *cursor) int32() int32 {
	if b := c.take(4); b != nil {
		return int32(binary.BigEndian.Uint32(b))
	}
	return 0
}

func (c *cursor) int64() int64 {
	if b := c.take(8); b != nil {
		return int64(binary.BigEndian.Uint64(b))
	}
	return 0
}

func (c *cursor) topic() (t TopicID) {
	copy(t[:], c.take(len(t)))
	return t
}

func (c *cursor) channel() Channel {
	ch := Channel{Topic: c.topic(), Partition: c.int32()}
	if ch.Partition < 0 {
		c.fail("partition %d", ch.Partition)
	}
	return ch
}

// count reads the number of entries that follow and holds it against the bytes that are
// left, each entry being at least size bytes: a lying count never costs memory.
func (c *cursor) count(size int) int {
	n := c.int32()
	if n < 0 || int(n) > len(c.left)/size {
		c.fail("a count of %d with %d bytes left", n, len(c.left))
		return 0
	}
	return int(n)
}

// bytes reads a length and that many bytes; a length of -1 is null, which reads as nil.
// What it returns shares the value's memory.
func (c *cursor) bytes() []byte {
	n := c.int32()
	if n == -1 {
		return nil
	}
	if n < 0 || int(n) > len(c.left) {
		c.fail("a length of %d with %d bytes left", n, len(c.left))
		return nil
	}
	return c.take(int(n))
}

// end is the decoder's verdict: the first fault, or that bytes were left over.
func (c *cursor) end() error {
	if c.fault == nil && len(c.left) > 0 {
		return errors.New("bytes after the end")
	}
	return c.fault
}

func appendInt32(dst []byte, n int) []byte {
	return binary.BigEndian.AppendUint32(dst, uint32(int32(n)))
}

func appendInt64(dst []byte, n int64) []byte {
	return binary.BigEndian.AppendUint64(dst, uint64(n))
}

func appendChannel(dst []byte, c Channel) []byte {
	return appendInt32(append(dst, c.Topic[:]...), int(c.Partition))
}

// appendBytes writes a length and the bytes; nil is null, a length of -1.
func appendBytes(dst, b []byte) []byte {
	if b == nil {
		return appendInt32(dst, -1)
	}
	return append(appendInt32(dst, len(b)), b...)
}
