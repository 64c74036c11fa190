package codec

import (
	"fmt"
	"unicode/utf8"
)

// scanner validates one JSON text. On a fault, at is the offset of the first wrong byte.
// encoding/json.Valid is not used: it accepts invalid UTF-8 and tells no offset.
type scanner struct {
	text []byte
	at   int
	nest nesting
}

// scan returns where the text starts and ends inside its white space, or the reason why
// it is none.
func (s *scanner) scan() (start, end int, reason string) {
	s.space()
	start = s.at
	if start == len(s.text) {
		return 0, 0, "nothing but white space: a JSON text is wanted"
	}
	if reason = s.values(); reason != "" {
		return 0, 0, reason
	}
	end = s.at
	s.space()
	if s.at < len(s.text) {
		return 0, 0, fmt.Sprintf("%s after the end of the JSON text", s.seen())
	}
	return start, end, ""
}

// values reads values until the outermost one is complete.
func (s *scanner) values() (reason string) {
	for {
		open, reason := s.value()
		if reason != "" {
			return reason
		}
		if open {
			continue
		}
		more, reason := s.after()
		if reason != "" || !more {
			return reason
		}
	}
}

// value reads a scalar, or the opening of a container up to its first value. open says
// that a value must follow.
func (s *scanner) value() (open bool, reason string) {
	s.space()
	switch c := s.peek(); c {
	case '{', '[':
		return s.container(c == '{')
	case '"':
		return false, s.str()
	case 't':
		return false, s.literal("true")
	case 'f':
		return false, s.literal("false")
	case 'n':
		return false, s.literal("null")
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return false, s.number()
	}
	return false, s.seen() + " where a value is wanted"
}

// container reads an opening bracket. An empty container is left for after to close.
func (s *scanner) container(object bool) (open bool, reason string) {
	if s.nest.depth == MaxDepth {
		return false, fmt.Sprintf("nested deeper than %d", MaxDepth)
	}
	s.nest.push(object)
	s.at++
	s.space()
	if c := s.peek(); object && c == '}' || !object && c == ']' {
		return false, ""
	}
	if object {
		return true, s.key()
	}
	return true, ""
}

// after reads what follows a value: any number of closing brackets, then a comma (and a
// key) or the end. more says that a value must follow.
func (s *scanner) after() (more bool, reason string) {
	for s.nest.depth > 0 {
		s.space()
		object := s.nest.top()
		switch c := s.peek(); {
		case c == ',':
			s.at++
			if object {
				s.space()
				return true, s.key()
			}
			return true, ""
		case object && c == '}', !object && c == ']':
			s.at++
			s.nest.pop()
		case object:
			return false, s.seen() + " where ',' or '}' is wanted"
		default:
			return false, s.seen() + " where ',' or ']' is wanted"
		}
	}
	return false, ""
}

// key reads a member's name and the colon.
func (s *scanner) key() (reason string) {
	if s.peek() != '"' {
		return s.seen() + " where a key in double quotes is wanted"
	}
	if reason := s.str(); reason != "" {
		return reason
	}
	s.space()
	if s.peek() != ':' {
		return s.seen() + " where ':' is wanted"
	}
	s.at++
	return ""
}

// str reads a string. plainRun does most of the work, one table look-up a byte.
func (s *scanner) str() (reason string) {
	s.at++
	for s.plainRun() {
		switch c := s.text[s.at]; {
		case c == '"':
			s.at++
			return ""
		case c == '\\':
			reason = s.escape()
		case c < ' ':
			reason = fmt.Sprintf("control character 0x%02x inside a string: it must be escaped", c)
		default:
			reason = s.rune()
		}
		if reason != "" {
			return reason
		}
	}
	return "the text ends inside a string"
}

// plainRun skips bytes that stand for themselves and says whether another byte follows.
// It works on locals so that the loop stays in registers.
func (s *scanner) plainRun() bool {
	text, at := s.text, s.at
	for at < len(text) && plain[text[at]] {
		at++
	}
	s.at = at
	return at < len(text)
}

// plain marks the bytes of a string that stand for themselves.
var plain = func() (t [256]bool) {
	for c := ' '; c < utf8.RuneSelf; c++ {
		t[c] = c != '"' && c != '\\'
	}
	return t
}()

func (s *scanner) escape() (reason string) {
	s.at++
	switch s.peek() {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		s.at++
		return ""
	case 'u':
		s.at++
		return s.hex4()
	}
	return s.seen() + " after a backslash"
}

func (s *scanner) hex4() (reason string) {
	for range 4 {
		c := s.peek()
		if !digit(c) && (c|0x20 < 'a' || c|0x20 > 'f') {
			return s.seen() + ` where \u wants four hex digits`
		}
		s.at++
	}
	return ""
}

// rune reads one character beyond ASCII. Surrogates and over-long forms are refused.
func (s *scanner) rune() (reason string) {
	r, size := utf8.DecodeRune(s.text[s.at:])
	if r == utf8.RuneError && size == 1 {
		return fmt.Sprintf("byte 0x%02x is not valid UTF-8", s.text[s.at])
	}
	s.at += size
	return ""
}

func (s *scanner) number() (reason string) {
	if s.peek() == '-' {
		s.at++
	}
	if s.peek() == '0' {
		s.at++
		if digit(s.peek()) {
			return "a number with a leading zero"
		}
	} else if reason := s.digits(); reason != "" {
		return reason
	}
	if s.peek() == '.' {
		s.at++
		if reason := s.digits(); reason != "" {
			return reason
		}
	}
	if s.peek()|0x20 != 'e' {
		return ""
	}
	s.at++
	if c := s.peek(); c == '+' || c == '-' {
		s.at++
	}
	return s.digits()
}

// digits reads at least one digit.
func (s *scanner) digits() (reason string) {
	if !digit(s.peek()) {
		return s.seen() + " where a digit is wanted"
	}
	text, at := s.text, s.at+1
	for at < len(text) && digit(text[at]) {
		at++
	}
	s.at = at
	return ""
}

func digit(c byte) bool { return c-'0' <= 9 }

func (s *scanner) literal(word string) (reason string) {
	for i := range len(word) {
		if s.peek() != word[i] {
			return fmt.Sprintf("%s inside %s", s.seen(), word)
		}
		s.at++
	}
	return ""
}

func (s *scanner) space() {
	for s.at < len(s.text) {
		switch s.text[s.at] {
		case ' ', '\t', '\n', '\r':
			s.at++
		default:
			return
		}
	}
}

// peek returns the byte at hand, 0 at the end; a 0 in the text is wrong wherever it is looked at.
func (s *scanner) peek() byte {
	if s.at < len(s.text) {
		return s.text[s.at]
	}
	return 0
}

// seen describes the byte at hand for a reason.
func (s *scanner) seen() string {
	const bom = "\uFEFF"
	rest := s.text[s.at:]
	switch r, size := utf8.DecodeRune(rest); {
	case size == 0:
		return "the text ends"
	case r == utf8.RuneError && size == 1:
		return fmt.Sprintf("byte 0x%02x (not valid UTF-8)", rest[0])
	case string(r) == bom:
		return "a byte order mark"
	default:
		return fmt.Sprintf("%q", r)
	}
}
