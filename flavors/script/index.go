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

// indexer makes indexes. Their nodes come out of one chunk that is used again for the next
// message (rewind), so that indexing allocates nothing most of the time.
type indexer struct {
	chunk []node
	limit int64 // bytes of nodes that one index may take

	text     []byte
	maxDepth int
	deepest  int      // nesting of the last text
	open     []uint32 // containers that are not closed yet
	from     int      // where in chunk the index at hand begins
}

const (
	chunkNodes = 2048
	keptNodes  = 1 << 18 // a larger chunk is not kept for the next message
)

// rewind makes the whole chunk free again. REQUIRES: no document uses nodes from it.
func (x *indexer) rewind() {
	if x.chunk = x.chunk[:0]; cap(x.chunk) > keptNodes {
		x.chunk = nil
	}
}

// index validates text as exactly one JSON value and returns its nodes; nodes[0] is
// the root. The nodes are the caller's until rewind; text is neither copied nor changed.
func (x *indexer) index(text []byte, maxDepth int) ([]node, error) {
	if len(text) > maxIndexed {
		return nil, &sizeError{int64(len(text)), maxIndexed}
	}
	x.text, x.maxDepth, x.deepest, x.open, x.from = text, maxDepth, 0, x.open[:0], len(x.chunk)
	err := x.document()
	x.text = nil
	if err != nil {
		x.chunk = x.chunk[:x.from]
		return nil, err
	}
	return x.chunk[x.from:len(x.chunk):len(x.chunk)], nil
}

// document reads one value, whatever it contains. It is one loop over the text: a value,
// then what may follow it in the innermost open container.
func (x *indexer) document() error {
	text, pos := x.text, 0
	for {
		pos = skipSpace(text, pos)
		if pos >= len(text) {
			return fault(pos, "a value is missing")
		}
		if len(x.chunk) == cap(x.chunk) {
			if err := x.grow(); err != nil {
				return err
			}
		}
		start, k, escaped := pos, kindNumber, false
		var err error
		switch text[pos] {
		case '{', '[':
			var entered bool
			if pos, entered, err = x.enter(pos); err != nil {
				return err
			}
			if entered {
				continue
			}
		case '"':
			k = kindString
			pos, escaped, err = scanString(text, pos)
		case 't':
			k = kindTrue
			pos, err = scanWord(text, pos, "true")
		case 'f':
			k = kindFalse
			pos, err = scanWord(text, pos, "false")
		case 'n':
			k = kindNull
			pos, err = scanWord(text, pos, "null")
		default:
			pos, err = scanNumber(text, pos)
		}
		if err != nil {
			return err
		}
		if c := text[start]; c != '{' && c != '[' {
			x.add(start, pos, k, escaped)
		}
		if pos, err = x.follow(pos); err != nil || len(x.open) == 0 {
			return err
		}
	}
}

// add appends the node of a scalar. REQUIRES: there is room.
func (x *indexer) add(start, end int, k kind, escaped bool) {
	at := len(x.chunk)
	x.chunk = append(x.chunk, node{start: uint32(start), end: uint32(end), next: uint32(at + 1 - x.from), kind: k, escaped: escaped})
}

// enter opens the container at pos. entered is false where it is empty, and closed again.
func (x *indexer) enter(pos int) (next int, entered bool, err error) {
	k, closing := kindObject, byte('}')
	if x.text[pos] == '[' {
		k, closing = kindArray, ']'
	}
	if len(x.open) >= x.maxDepth {
		return pos, false, &depthError{len(x.open) + 1, x.maxDepth}
	}
	at := len(x.chunk) - x.from
	x.add(pos, pos, k, false)
	x.deepest = max(x.deepest, len(x.open)+1)
	pos = skipSpace(x.text, pos+1)
	if pos < len(x.text) && x.text[pos] == closing {
		x.chunk[x.from+at].end = uint32(pos + 1)
		return pos + 1, false, nil
	}
	x.open = append(x.open, uint32(at))
	x.chunk[x.from+at].count = 1
	if k == kindObject {
		pos, err = x.key(pos)
	}
	return pos, true, err
}

// follow reads what comes after a value: the ends of containers, and a comma before the next
// value. With no container left it reads the end of the text.
func (x *indexer) follow(pos int) (int, error) {
	text := x.text
	for len(x.open) > 0 {
		at := x.from + int(x.open[len(x.open)-1])
		pos = skipSpace(text, pos)
		if pos >= len(text) {
			return pos, fault(pos, "a comma or the end of the container is missing")
		}
		object := x.chunk[at].kind == kindObject
		switch c := text[pos]; {
		case c == ',':
			x.chunk[at].count++
			if pos++; object {
				return x.key(skipSpace(text, pos))
			}
			return pos, nil
		case c == '}' && object || c == ']' && !object:
			pos++
			x.chunk[at].end, x.chunk[at].next = uint32(pos), uint32(len(x.chunk)-x.from)
			x.open = x.open[:len(x.open)-1]
		default:
			return pos, fault(pos, "a comma or the end of the container is missing")
		}
	}
	if pos = skipSpace(text, pos); pos != len(text) {
		return pos, fault(pos, "more text after the value")
	}
	return pos, nil
}

// key reads a member's name and the colon.
func (x *indexer) key(pos int) (int, error) {
	if pos >= len(x.text) || x.text[pos] != '"' {
		return pos, fault(pos, "a member name is missing")
	}
	end, escaped, err := scanString(x.text, pos)
	if err != nil {
		return end, err
	}
	if len(x.chunk) == cap(x.chunk) {
		if err := x.grow(); err != nil {
			return end, err
		}
	}
	x.add(pos, end, kindString, escaped)
	if pos = skipSpace(x.text, end); pos >= len(x.text) || x.text[pos] != ':' {
		return pos, fault(pos, "a colon is missing")
	}
	return pos + 1, nil
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

func fault(pos int, reason string) error { return &syntaxError{offset: pos, reason: reason} }
