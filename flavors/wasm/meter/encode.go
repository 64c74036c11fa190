package meter

import "encoding/binary"

// appendSigned appends v as a signed LEB128 number, in its shortest form.
func appendSigned(b []byte, v int64) []byte {
	for {
		low := byte(v & 0x7f)
		v >>= 7
		if (v == 0 && low&0x40 == 0) || (v == -1 && low&0x40 != 0) {
			return append(b, low)
		}
		b = append(b, low|0x80)
	}
}

// appendUnsigned appends v as an unsigned LEB128 number, in its shortest form.
func appendUnsigned(b []byte, v uint32) []byte {
	return binary.AppendUvarint(b, uint64(v))
}

// appendText appends a name: its length and its bytes.
func appendText(b []byte, s string) []byte {
	return append(appendUnsigned(b, uint32(len(s))), s...)
}

// appendBytes appends a length and that many bytes.
func appendBytes(b, content []byte) []byte {
	return append(appendUnsigned(b, uint32(len(content))), content...)
}

// vector is a section's content under construction: its elements, encoded, and how
// many there are.
type vector struct {
	n     uint32
	bytes []byte
}

func (v *vector) add(element ...byte) {
	v.n++
	v.bytes = append(v.bytes, element...)
}

// appendTo appends the vector as a section, or nothing if it is empty: an absent
// section and an empty one mean the same.
func (v *vector) appendTo(b []byte, id byte) []byte {
	if v.n == 0 {
		return b
	}
	head := appendUnsigned(nil, v.n)
	b = appendUnsigned(append(b, id), uint32(len(head)+len(v.bytes)))
	return append(append(b, head...), v.bytes...)
}

// code is a function body or expression under construction.
type code []byte

func (c *code) op(bytes ...byte)            { *c = append(*c, bytes...) }
func (c *code) u32(op byte, operand uint32) { *c = appendUnsigned(append(*c, op), operand) }
func (c *code) i32(v int32)                 { *c = appendSigned(append(*c, 0x41), int64(v)) }
func (c *code) i64(v int64)                 { *c = appendSigned(append(*c, 0x42), v) }
