package process

import (
	"encoding/binary"
	"errors"
	"time"
	"unsafe"
)

// The wire's primitives: numbers as varints, bytes and texts with their length in front.
// What may be nil carries its length plus one, and 0 for nil.

// errMalformed says that bytes are no frame of this protocol.
var errMalformed = errors.New("process: a malformed frame")

func appendBytes(b, data []byte) []byte {
	if data == nil {
		return append(b, 0)
	}
	return append(binary.AppendUvarint(b, uint64(len(data))+1), data...)
}

func appendText(b []byte, text string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(text))), text...)
}

// timeBytes is the length of a time: seconds and nanoseconds, little endian.
const timeBytes = 12

func appendTime(b []byte, t time.Time) []byte {
	b = binary.LittleEndian.AppendUint64(b, uint64(t.Unix()))
	return binary.LittleEndian.AppendUint32(b, uint32(t.Nanosecond()))
}

// reader takes a frame's body apart. After the first mistake it returns zeros and keeps err.
// Slices that it returns alias the body, unless the body is lent.
type reader struct {
	rest []byte
	lent bool // the body is somebody's buffer: what is kept of it is copied
	err  error
}

func (r *reader) fail() {
	r.rest, r.err = nil, errMalformed
}

func (r *reader) uint() uint64 {
	if len(r.rest) > 0 && r.rest[0] < 0x80 { // most are short
		v := r.rest[0]
		r.rest = r.rest[1:]
		return uint64(v)
	}
	v, n := binary.Uvarint(r.rest)
	if n <= 0 {
		r.fail()
		return 0
	}
	r.rest = r.rest[n:]
	return v
}

func (r *reader) int() int64 {
	v, n := binary.Varint(r.rest)
	if n <= 0 {
		r.fail()
		return 0
	}
	r.rest = r.rest[n:]
	return v
}

func (r *reader) byte() byte {
	if len(r.rest) == 0 {
		r.fail()
		return 0
	}
	v := r.rest[0]
	r.rest = r.rest[1:]
	return v
}

func (r *reader) take(n uint64) []byte {
	if n > uint64(len(r.rest)) {
		r.fail()
		return nil
	}
	out := r.rest[:n:n]
	r.rest = r.rest[n:]
	return out
}

func (r *reader) bytes() []byte {
	n := r.uint()
	if n == 0 {
		return nil
	}
	out := r.take(n - 1)
	if r.lent && r.err == nil {
		return append(make([]byte, 0, n-1), out...)
	}
	return out
}

// text aliases the body likewise: nobody writes to what is not lent.
func (r *reader) text() string {
	text := r.take(r.uint())
	if r.lent || len(text) == 0 {
		return string(text)
	}
	return unsafe.String(&text[0], len(text))
}

// textLike is text for what is mostly the same as the last time.
func (r *reader) textLike(last string) string {
	text := r.take(r.uint())
	if string(text) == last {
		return last
	}
	return string(text)
}

// count reads how many elements follow, of which each takes at least one byte.
func (r *reader) count() int {
	n := r.uint()
	if n > uint64(len(r.rest)) {
		r.fail()
		return 0
	}
	return int(n)
}

func (r *reader) time() time.Time {
	b := r.take(timeBytes)
	if r.err != nil {
		return time.Time{}
	}
	seconds, nanos := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint32(b[8:])
	if nanos >= uint32(time.Second) {
		r.fail()
		return time.Time{}
	}
	return time.Unix(int64(seconds), int64(nanos)).UTC()
}

// end reports a mistake, also that of bytes behind the last value.
func (r *reader) end() error {
	if r.err == nil && len(r.rest) > 0 {
		r.fail()
	}
	return r.err
}
