package store

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/leat-run/leat/runtime"
)

// wireWriter appends fields to a value. Integers are varints, bytes and strings have
// their length before them, times are Unix milliseconds or nanoseconds as said.
type wireWriter struct{ buf []byte }

func (w *wireWriter) byte(b byte)      { w.buf = append(w.buf, b) }
func (w *wireWriter) uint(v uint64)    { w.buf = binary.AppendUvarint(w.buf, v) }
func (w *wireWriter) int(v int64)      { w.buf = binary.AppendVarint(w.buf, v) }
func (w *wireWriter) string(s string)  { w.uint(uint64(len(s))); w.buf = append(w.buf, s...) }
func (w *wireWriter) bytes(b []byte)   { w.uint(uint64(len(b))); w.buf = append(w.buf, b...) }
func (w *wireWriter) time(t time.Time) { w.int(t.Unix()); w.uint(uint64(t.Nanosecond())) }

func (w *wireWriter) bool(b bool) {
	if b {
		w.byte(1)
	} else {
		w.byte(0)
	}
}

// meta writes the entries in the order of their names, so that equal rows are equal bytes.
func (w *wireWriter) meta(m runtime.Meta) {
	w.uint(uint64(len(m)))
	if len(m) == 0 {
		return
	}
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		w.string(name)
		w.string(m[name])
	}
}

// wireReader takes fields from a value. The first fault sticks; after it every field
// reads as zero. Bytes that it returns are part of the value.
type wireReader struct {
	rest []byte
	err  error
}

func (r *wireReader) fail(what string) {
	if r.err == nil {
		r.err = fmt.Errorf("%w: %s, %d bytes before the end", ErrCorrupt, what, len(r.rest))
	}
	r.rest = nil
}

func (r *wireReader) byte() byte {
	if len(r.rest) == 0 {
		r.fail("value ends early")
		return 0
	}
	b := r.rest[0]
	r.rest = r.rest[1:]
	return b
}

func (r *wireReader) bool() bool {
	b := r.byte()
	if b > 1 {
		r.fail("no boolean")
	}
	return b == 1
}

func (r *wireReader) uint() uint64 {
	v, n := binary.Uvarint(r.rest)
	if n <= 0 {
		r.fail("no unsigned integer")
		return 0
	}
	r.rest = r.rest[n:]
	return v
}

func (r *wireReader) int() int64 {
	v, n := binary.Varint(r.rest)
	if n <= 0 {
		r.fail("no integer")
		return 0
	}
	r.rest = r.rest[n:]
	return v
}

func (r *wireReader) bytes() []byte {
	n := r.uint()
	if n > uint64(len(r.rest)) {
		r.fail("length past the end")
		return nil
	}
	b := r.rest[:n:n]
	r.rest = r.rest[n:]
	return b
}

func (r *wireReader) string() string { return string(r.bytes()) }

func (r *wireReader) time() time.Time {
	seconds, nanos := r.int(), r.uint()
	if nanos >= uint64(time.Second) || seconds > math.MaxInt64/2 || seconds < math.MinInt64/2 {
		r.fail("no time")
		return time.Time{}
	}
	return time.Unix(seconds, int64(nanos)).UTC()
}

func (r *wireReader) meta() runtime.Meta {
	n := r.uint()
	if n > uint64(len(r.rest))/2 {
		r.fail("more meta entries than bytes")
	}
	if n == 0 || r.err != nil {
		return nil
	}
	m := make(runtime.Meta, n)
	for range n {
		name := r.string()
		m[name] = r.string()
	}
	if uint64(len(m)) != n {
		r.fail("meta entry twice")
	}
	return m
}

// close reports the first fault, or bytes that nobody read.
func (r *wireReader) close() error {
	if r.err == nil && len(r.rest) > 0 {
		r.fail("bytes left over")
	}
	return r.err
}
