package script

import (
	"fmt"
	"unsafe"
)

// kind is the type of a JSON value.
type kind uint8

const (
	kindNull kind = iota
	kindFalse
	kindTrue
	kindNumber
	kindString
	kindArray
	kindObject
)

// node is one value of an indexed JSON text, in document order. The children of an
// array follow it; those of an object follow it as key, value, key, value.
type node struct {
	start, end uint32 // the value is text[start:end], quotes and brackets included
	next       uint32 // the node after this value and all it contains
	count      uint32 // members of an object, elements of an array
	kind       kind
	escaped    bool // a string that contains a backslash
}

const nodeBytes = int64(unsafe.Sizeof(node{}))

// maxIndexed bounds a text so that offsets fit their 32 bits.
const maxIndexed = 1 << 30

// syntaxError says where a payload stops being JSON.
type syntaxError struct {
	offset int
	reason string
}

func (e *syntaxError) Error() string {
	return fmt.Sprintf("the payload is not JSON: %s at byte %d", e.reason, e.offset)
}

// depthError says that a payload nests deeper than the budget allows.
type depthError struct{ depth, limit int }

func (e *depthError) Error() string { return "the payload nests too deep" }

// sizeError says that a payload has more values than the memory budget can index.
type sizeError struct{ bytes, limit int64 }

func (e *sizeError) Error() string { return "the payload has too many values" }

// indexer makes indexes. Their nodes come out of one chunk after the other, so that
// indexing a message allocates nothing most of the time, and a view that outlives its
// message keeps its chunk alive and stays right.
type indexer struct {
	chunk []node
	limit int64 // bytes of nodes that one index may take

	text     []byte
	pos      int
	maxDepth int
	deepest  int // nesting of the last text
	open     []uint32
	from     int
}

const chunkNodes = 2048

// index validates text as exactly one JSON value and returns its nodes; nodes[0] is
// the root. The nodes are the caller's; text is neither copied nor changed.
func (x *indexer) index(text []byte, maxDepth int) ([]node, error) {
	if len(text) > maxIndexed {
		return nil, &sizeError{int64(len(text)), maxIndexed}
	}
	if cap(x.chunk)-len(x.chunk) < 64 {
		x.chunk = make([]node, 0, chunkNodes)
	}
	x.text, x.pos, x.maxDepth, x.deepest, x.open, x.from = text, 0, maxDepth, 0, x.open[:0], len(x.chunk)
	err := x.document()
	x.text = nil
	if err != nil {
		x.chunk = x.chunk[:x.from]
		return nil, err
	}
	return x.chunk[x.from:len(x.chunk):len(x.chunk)], nil
}

func (x *indexer) document() error {
	if err := x.value(); err != nil {
		return err
	}
	for len(x.open) > 0 {
		if err := x.member(); err != nil {
			return err
		}
	}
	x.space()
	if x.pos != len(x.text) {
		return x.fault("more text after the value")
	}
	return nil
}

// add appends a node that starts at the current position.
func (x *indexer) add(k kind) (*node, error) {
	if len(x.chunk) == cap(x.chunk) {
		if err := x.grow(); err != nil {
			return nil, err
		}
	}
	x.chunk = append(x.chunk, node{start: uint32(x.pos), kind: k})
	return &x.chunk[len(x.chunk)-1], nil
}

// grow moves the index at hand to a larger chunk; earlier documents keep the old one.
func (x *indexer) grow() error {
	used := len(x.chunk) - x.from
	size := max(2*used, chunkNodes)
	if int64(size)*nodeBytes > x.limit {
		size = int(x.limit / nodeBytes)
	}
	if size <= used {
		return &sizeError{int64(used+1) * nodeBytes, x.limit}
	}
	chunk := make([]node, used, size)
	copy(chunk, x.chunk[x.from:])
	x.chunk, x.from = chunk, 0
	return nil
}

// close ends the scalar or container n at the current position.
func (x *indexer) close(n *node) {
	n.end = uint32(x.pos)
	n.next = uint32(len(x.chunk) - x.from)
}

// value reads a scalar whole, or opens a container.
func (x *indexer) value() error {
	x.space()
	if x.pos >= len(x.text) {
		return x.fault("a value is missing")
	}
	switch c := x.text[x.pos]; c {
	case '{', '[':
		return x.openContainer(c)
	case '"':
		return x.stringValue()
	case 't':
		return x.word("true", kindTrue)
	case 'f':
		return x.word("false", kindFalse)
	case 'n':
		return x.word("null", kindNull)
	default:
		return x.number()
	}
}

func (x *indexer) openContainer(c byte) error {
	k := kindObject
	if c == '[' {
		k = kindArray
	}
	if _, err := x.add(k); err != nil {
		return err
	}
	if len(x.open) >= x.maxDepth {
		return &depthError{len(x.open) + 1, x.maxDepth}
	}
	x.open = append(x.open, uint32(len(x.chunk)-1-x.from))
	x.deepest = max(x.deepest, len(x.open))
	x.pos++
	return nil
}

// member reads the next element or member of the innermost container, or its end.
func (x *indexer) member() error {
	at := x.from + int(x.open[len(x.open)-1])
	k, first := x.chunk[at].kind, x.chunk[at].count == 0
	closing := byte('}')
	if k == kindArray {
		closing = ']'
	}
	x.space()
	if x.pos < len(x.text) && x.text[x.pos] == closing {
		x.pos++
		x.close(&x.chunk[at])
		x.open = x.open[:len(x.open)-1]
		return nil
	}
	if !first {
		if err := x.expect(',', "a comma or the end of the container is missing"); err != nil {
			return err
		}
	}
	x.chunk[at].count++
	if k == kindObject {
		if err := x.key(); err != nil {
			return err
		}
	}
	return x.value()
}

func (x *indexer) key() error {
	x.space()
	if x.pos >= len(x.text) || x.text[x.pos] != '"' {
		return x.fault("a member name is missing")
	}
	if err := x.stringValue(); err != nil {
		return err
	}
	x.space()
	return x.expect(':', "a colon is missing")
}

func (x *indexer) expect(c byte, reason string) error {
	if x.pos >= len(x.text) || x.text[x.pos] != c {
		return x.fault(reason)
	}
	x.pos++
	return nil
}

func (x *indexer) space() {
	for x.pos < len(x.text) {
		switch x.text[x.pos] {
		case ' ', '\t', '\n', '\r':
			x.pos++
		default:
			return
		}
	}
}

func (x *indexer) word(word string, k kind) error {
	if len(x.text)-x.pos < len(word) || string(x.text[x.pos:x.pos+len(word)]) != word {
		return x.fault("an unknown word")
	}
	n, err := x.add(k)
	if err != nil {
		return err
	}
	x.pos += len(word)
	x.close(n)
	return nil
}

func (x *indexer) stringValue() error {
	n, err := x.add(kindString)
	if err != nil {
		return err
	}
	text := x.text
	for i := x.pos + 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			x.pos = i + 1
			x.close(n)
			return nil
		case c == '\\':
			n.escaped = true
			skip, ok := escapeLength(text[i:])
			if !ok {
				x.pos = i
				return x.fault("an invalid escape")
			}
			i += skip - 1
		case c < 0x20:
			x.pos = i
			return x.fault("a control character in a string")
		}
	}
	x.pos = len(text)
	return x.fault("a string without end")
}

// escapeLength returns the length of the escape at the head of s.
func escapeLength(s []byte) (int, bool) {
	if len(s) < 2 {
		return 0, false
	}
	switch s[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2, true
	case 'u':
		if len(s) < 6 {
			return 0, false
		}
		for _, c := range s[2:6] {
			if !isHex(c) {
				return 0, false
			}
		}
		return 6, true
	default:
		return 0, false
	}
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

// number reads -?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?.
func (x *indexer) number() error {
	n, err := x.add(kindNumber)
	if err != nil {
		return err
	}
	start := x.pos
	x.skip('-')
	if !x.skip('0') && x.digits() == 0 {
		if x.pos == start {
			return x.fault("an unexpected character")
		}
		return x.fault("a digit is missing")
	}
	if x.skip('.') && x.digits() == 0 {
		return x.fault("a digit is missing after the point")
	}
	if x.skip('e') || x.skip('E') {
		if !x.skip('+') {
			x.skip('-')
		}
		if x.digits() == 0 {
			return x.fault("a digit is missing in the exponent")
		}
	}
	x.close(n)
	return nil
}

func (x *indexer) skip(c byte) bool {
	if x.pos < len(x.text) && x.text[x.pos] == c {
		x.pos++
		return true
	}
	return false
}

func (x *indexer) digits() int {
	start := x.pos
	for x.pos < len(x.text) && x.text[x.pos] >= '0' && x.text[x.pos] <= '9' {
		x.pos++
	}
	return x.pos - start
}

func (x *indexer) fault(reason string) error {
	return &syntaxError{offset: x.pos, reason: reason}
}
