package wasm

import "unicode/utf8"

const codecJSON = "json"

// scanJSON reads one JSON text (RFC 8259, UTF-8, white space around it allowed). It
// returns how deep the text nests and whether it is well formed; at is where it is not.
// It stops, as well formed, as soon as it is deeper than limit.
func scanJSON(text []byte, limit int) (depth, at int, ok bool) {
	if !utf8.Valid(text) {
		return 0, invalidUTF8(text), false
	}
	s := jsonScanner{text: text}
	s.space()
	for {
		opened, good := s.value()
		switch {
		case !good:
			return s.deepest, s.at, false
		case s.deepest > limit:
			return s.deepest, s.at, true
		case opened:
			continue
		}
		more, good := s.closeValues()
		switch {
		case !good:
			return s.deepest, s.at, false
		case !more:
			s.space()
			return s.deepest, s.at, s.at == len(text)
		}
	}
}

func invalidUTF8(text []byte) int {
	at := 0
	for at < len(text) {
		r, n := utf8.DecodeRune(text[at:])
		if r == utf8.RuneError && n < 2 {
			break
		}
		at += n
	}
	return at
}

// jsonScanner holds the brackets that are open, so that hostile nesting costs a byte and
// no host stack.
type jsonScanner struct {
	text    []byte
	at      int
	open    []byte // the closing brackets that are due
	deepest int
}

func (s *jsonScanner) peek() byte {
	if s.at < len(s.text) {
		return s.text[s.at]
	}
	return 0
}

func (s *jsonScanner) space() {
	for s.at < len(s.text) {
		switch s.text[s.at] {
		case ' ', '\t', '\n', '\r':
			s.at++
		default:
			return
		}
	}
}

// value reads a scalar or an empty container whole, or opens a container and stops where
// its first value starts.
func (s *jsonScanner) value() (opened, ok bool) {
	switch c := s.peek(); {
	case c == '{':
		return s.container('}')
	case c == '[':
		return s.container(']')
	case c == '"':
		return false, s.string()
	case c == 't':
		return false, s.word("true")
	case c == 'f':
		return false, s.word("false")
	case c == 'n':
		return false, s.word("null")
	default:
		return false, s.number()
	}
}

func (s *jsonScanner) container(end byte) (opened, ok bool) {
	s.at++
	s.deepest = max(s.deepest, len(s.open)+1)
	s.space()
	if s.peek() == end {
		s.at++
		return false, true
	}
	s.open = append(s.open, end)
	return true, end == ']' || s.key()
}

// key reads a member's name and colon.
func (s *jsonScanner) key() bool {
	if s.peek() != '"' || !s.string() {
		return false
	}
	s.space()
	if s.peek() != ':' {
		return false
	}
	s.at++
	s.space()
	return true
}

// closeValues passes what may follow a value: closing brackets, then a comma. more says
// that another value follows.
func (s *jsonScanner) closeValues() (more, ok bool) {
	for len(s.open) > 0 {
		s.space()
		end := s.open[len(s.open)-1]
		switch s.peek() {
		case end:
			s.at++
			s.open = s.open[:len(s.open)-1]
		case ',':
			s.at++
			s.space()
			return true, end == ']' || s.key()
		default:
			return false, false
		}
	}
	return false, true
}

func (s *jsonScanner) word(want string) bool {
	if len(s.text)-s.at < len(want) || string(s.text[s.at:s.at+len(want)]) != want {
		return false
	}
	s.at += len(want)
	return true
}

func (s *jsonScanner) string() bool {
	for s.at++; s.at < len(s.text); s.at++ {
		switch c := s.text[s.at]; {
		case c == '"':
			s.at++
			return true
		case c < 0x20:
			return false
		case c == '\\':
			if !s.escape() {
				return false
			}
		}
	}
	return false
}

// escape passes an escape sequence but for its last byte.
func (s *jsonScanner) escape() bool {
	s.at++
	switch s.peek() {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return true
	case 'u':
		for range 4 {
			s.at++
			if c := s.peek() | 0x20; (c < '0' || c > '9' || s.peek() < '0') && (c < 'a' || c > 'f') {
				return false
			}
		}
		return true
	}
	return false
}

func (s *jsonScanner) number() bool {
	if s.peek() == '-' {
		s.at++
	}
	switch c := s.peek(); {
	case c == '0':
		s.at++
	case c >= '1' && c <= '9':
		s.digits()
	default:
		return false
	}
	if s.peek() == '.' {
		if s.at++; !s.digits() {
			return false
		}
	}
	if s.peek()|0x20 != 'e' {
		return true
	}
	if s.at++; s.peek() == '+' || s.peek() == '-' {
		s.at++
	}
	return s.digits()
}

func (s *jsonScanner) digits() bool {
	from := s.at
	for c := s.peek(); c >= '0' && c <= '9'; c = s.peek() {
		s.at++
	}
	return s.at > from
}
