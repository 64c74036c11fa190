package wasm

import (
	"encoding/binary"
	"fmt"
)

// reader walks a module's bytes. Its first fault sticks: every read after it returns
// zero, so that a caller checks once, at the end of a section.
type reader struct {
	bytes []byte
	at    int // offset in bytes
	base  int // offset of bytes in the module, for messages
	fault string
}

func (r *reader) fail(format string, args ...any) {
	if r.fault == "" {
		r.fault = fmt.Sprintf("at byte %d: ", r.base+r.at) + fmt.Sprintf(format, args...)
	}
	r.at = len(r.bytes)
}

func (r *reader) ok() bool    { return r.fault == "" }
func (r *reader) done() bool  { return r.at >= len(r.bytes) }
func (r *reader) remain() int { return len(r.bytes) - r.at }

func (r *reader) byte() byte {
	if r.done() {
		r.fail("the module ends early")
		return 0
	}
	r.at++
	return r.bytes[r.at-1]
}

// u32 reads an unsigned LEB128 of at most 5 bytes.
func (r *reader) u32() uint32 { return uint32(r.unsigned(32)) }

// u64 reads an unsigned LEB128 of at most 10 bytes.
func (r *reader) u64() uint64 { return r.unsigned(64) }

func (r *reader) unsigned(bits uint) uint64 {
	value, n := binary.Uvarint(r.bytes[r.at:])
	if n <= 0 || n > int(bits+6)/7 || (bits < 64 && value>>bits != 0) {
		r.fail("a number is cut off or too long")
		return 0
	}
	r.at += n
	return value
}

func (r *reader) take(n int) []byte {
	if n < 0 || n > r.remain() {
		r.fail("%d bytes are announced, %d are left", n, r.remain())
		return nil
	}
	r.at += n
	return r.bytes[r.at-n : r.at]
}

func (r *reader) name() string { return string(r.take(int(r.u32()))) }

// count reads the length of a vector whose elements have at least one byte each, so that
// a lying count cannot make the caller allocate.
func (r *reader) count() int {
	n := r.u32()
	if int64(n) > int64(r.remain()) {
		r.fail("%d entries are announced, %d bytes are left", n, r.remain())
		return 0
	}
	return int(n)
}
