package document

import (
	"bytes"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// lines is a text cut as the YAML parser cuts it, so that a place that the parser gives can be
// found in the text. A place is not trusted: the parser sets some beyond the text or
// inside of what they tell of.
type lines struct {
	text   []byte
	starts []int
}

func linesOf(text []byte) lines {
	l := lines{text: text, starts: []int{markLen(text)}}
	for i := l.starts[0]; i < len(text); {
		n := breakLen(text[i:])
		if i += max(n, 1); n > 0 {
			l.starts = append(l.starts, i)
		}
	}
	return l
}

// byteOrderMarks are not counted where a text starts: parse cuts one, the YAML parser another.
const byteOrderMarks = 2

func markLen(text []byte) int {
	rest := text
	for range byteOrderMarks {
		rest = bytes.TrimPrefix(rest, []byte("\xEF\xBB\xBF"))
	}
	return len(text) - len(rest)
}

// breakLen is the length of the line end that text starts with, 0 if it is none. To YAML these
// are CR LF, CR, LF, NEL, LS and PS.
func breakLen(text []byte) int {
	switch {
	case bytes.HasPrefix(text, []byte("\r\n")), bytes.HasPrefix(text, []byte("\u0085")):
		return 2
	case text[0] == '\r', text[0] == '\n':
		return 1
	case bytes.HasPrefix(text, []byte("\u2028")), bytes.HasPrefix(text, []byte("\u2029")):
		return 3
	default:
		return 0
	}
}

// count is the number of lines; a text without a line end has one.
func (l lines) count() int { return len(l.starts) }

// line returns a line (from 1) without its end. REQUIRES: 1 <= n <= count.
func (l lines) line(n int) []byte {
	line := l.text[l.starts[n-1]:l.end(n)]
	for i := range line {
		if breakLen(line[i:]) > 0 {
			return line[:i]
		}
	}
	return line
}

// end is where the line behind line n starts, or the text ends.
func (l lines) end(n int) int {
	if n < len(l.starts) {
		return l.starts[n]
	}
	return len(l.text)
}

// offset is where a place stands in the text, in bytes; false if there is no such place.
func (l lines) offset(line, column int) (int, bool) {
	if line < 1 || line > len(l.starts) || column < 1 {
		return 0, false
	}
	at, end := l.starts[line-1], l.end(line)
	for range column - 1 {
		if at >= end {
			return 0, false
		}
		_, size := utf8.DecodeRune(l.text[at:])
		at += size
	}
	return at, true
}

// node is where a node begins.
func (l lines) node(n *yaml.Node) (int, bool) { return l.offset(n.Line, n.Column) }
