package meter

import (
	"fmt"
	"iter"
	"unicode/utf8"
)

// reader takes a module apart. It is bounds-checked and never panics: the first fault
// is kept in err, and from then on every read returns zero and more reports false, so
// that callers check once per item instead of once per byte.
type reader struct {
	src   []byte // the whole module; offsets in refusals count from its start
	at    int    // the next byte
	end   int    // one past the last byte that belongs to this reader
	place string // for refusals
	err   *Refusal
}

// more reports whether bytes are left and nothing went wrong.
func (r *reader) more() bool { return r.err == nil && r.at < r.end }

// ok reports whether nothing went wrong so far.
func (r *reader) ok() bool { return r.err == nil }

func (r *reader) left() int { return r.end - r.at }

// refuse keeps the first fault and stops all further reading.
func (r *reader) refuse(reason error, feature, format string, args ...any) {
	if r.err == nil {
		r.err = &Refusal{
			Reason: reason, Offset: r.at, Place: r.place,
			Message: fmt.Sprintf(format, args...), Feature: feature,
		}
	}
	r.end = r.at
}

func (r *reader) malformed(format string, args ...any) {
	r.refuse(ErrMalformed, "", format, args...)
}

func (r *reader) unsupported(feature, format string, args ...any) {
	r.refuse(ErrUnsupported, feature, format, args...)
}

// sub returns a reader over the next n bytes and skips them. A fault in it does not
// reach r by itself: see adopt.
func (r *reader) sub(n uint32, place string) reader {
	from := r.at
	r.take(int64(n))
	return reader{src: r.src, at: from, end: from + (r.at - from), place: place, err: r.err}
}

// adopt takes over the fault of a sub-reader, or refuses if it was not read to its end.
func (r *reader) adopt(sub *reader) {
	if sub.err == nil && sub.at != sub.end {
		sub.malformed("%d bytes left over", sub.left())
	}
	if r.err == nil && sub.err != nil {
		r.err, r.end = sub.err, r.at
	}
}

// take returns the next n bytes, which stay owned by the module.
func (r *reader) take(n int64) []byte {
	if n < 0 || n > int64(r.left()) {
		r.malformed("cut off: %d bytes wanted, %d left", n, r.left())
		return nil
	}
	b := r.src[r.at : r.at+int(n)]
	r.at += int(n)
	return b
}

func (r *reader) byte() byte {
	if r.at >= r.end {
		r.malformed("cut off: a byte wanted, none left")
		return 0
	}
	b := r.src[r.at]
	r.at++
	return b
}

// u32 reads an unsigned LEB128 number of at most 32 bits.
func (r *reader) u32() uint32 {
	if r.at < r.end && r.src[r.at] < 0x80 { // the common case, inlined
		r.at++
		return uint32(r.src[r.at-1])
	}
	return r.u32Slow()
}

func (r *reader) u32Slow() uint32 {
	var v uint32
	for shift := 0; shift < 35; shift += 7 {
		b := r.byte()
		if shift == 28 && b > 0x0f {
			break
		}
		v |= uint32(b&0x7f) << shift
		if b < 0x80 {
			return v
		}
	}
	r.malformed("number longer than 32 bits")
	return 0
}

// signed reads a signed LEB128 number of at most bits bits (32, 33 or 64).
func (r *reader) signed(bits int) int64 {
	var v int64
	for shift := 0; shift < bits; shift += 7 {
		b := r.byte()
		v |= int64(b&0x7f) << shift
		if b >= 0x80 {
			continue
		}
		if !signedTailFits(b, bits-shift) {
			break
		}
		if shift+7 < 64 && b&0x40 != 0 {
			v |= -1 << (shift + 7)
		}
		return v
	}
	r.malformed("number longer than %d bits", bits)
	return 0
}

// signedTailFits reports whether the last byte of a number, of which only the low room
// bits count, repeats the sign in all bits above them.
func signedTailFits(b byte, room int) bool {
	if room >= 7 {
		return true
	}
	above := int8(b<<1) >> room // the sign bit of the value and everything above it
	return above == 0 || above == -1
}

// count reads the length of a vector. Each element takes at least one byte, so a
// length above the bytes left is refused before anything loops over it.
func (r *reader) count(of string) int {
	n := r.u32()
	if int64(n) > int64(r.left()) {
		r.malformed("%d %s announced, %d bytes left", n, of, r.left())
		return 0
	}
	return int(n)
}

// each reads the length of a vector and goes through its elements, which the caller reads,
// as long as nothing is wrong.
func (r *reader) each(of string) iter.Seq[int] {
	n := r.count(of)
	return func(yield func(int) bool) {
		for i := 0; i < n && r.ok() && yield(i); i++ {
		}
	}
}

// text reads a name: a length and that many bytes of UTF-8.
func (r *reader) text() string {
	b := r.take(int64(r.u32()))
	if !utf8.Valid(b) {
		r.malformed("name is not UTF-8")
		return ""
	}
	return string(b)
}

// index reads an index and checks it against the size of its space in the ORIGINAL
// module: what the rewriter appends must stay out of the guest's reach.
func (r *reader) index(space string, size int) uint32 {
	i := r.u32()
	if r.ok() && int64(i) >= int64(size) {
		r.malformed("%s %d does not exist, there are %d", space, i, size)
		return 0
	}
	return i
}
