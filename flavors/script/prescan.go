package script

import (
	"fmt"

	"github.com/leat-run/leat/runtime"
)

// What a source file may hold. The parsers below recurse over nesting, so that a deep
// enough text would overflow the process's stack: it is refused before any of them.
const (
	maxSource  = 1 << 20 // bytes
	maxNesting = 400     // open brackets
)

// scanFault is what prescan refuses, with the place.
type scanFault struct {
	message, hint string
	line, column  int
}

// prescan refuses a text that a parser must not see, in one pass without recursion.
func prescan(text string) *scanFault {
	if len(text) > maxSource {
		return &scanFault{
			message: fmt.Sprintf("the source has %d bytes, a source file may have %d", len(text), maxSource),
			hint:    "split it, or import less", line: 1, column: 1,
		}
	}
	s := scan{text: text, line: 1}
	for s.at < len(text) {
		if s.step(); s.depth > maxNesting {
			return &scanFault{
				message: fmt.Sprintf("the source nests deeper than %d brackets", maxNesting),
				hint:    "name the inner parts", line: s.line, column: s.at - s.lineStart,
			}
		}
	}
	return nil
}

// scan walks a source, skipping strings and comments.
type scan struct {
	text                       string
	at, line, lineStart, depth int
}

func (s *scan) step() {
	c := s.text[s.at]
	s.at++
	switch c {
	case '\n':
		s.line, s.lineStart = s.line+1, s.at
	case '(', '[', '{':
		s.depth++
	case ')', ']', '}':
		s.depth--
	case '\'', '"':
		s.skipString(c)
	case '/':
		s.skipComment()
	}
}

// skipString ends at the quote or, as the language has it, at the end of the line.
func (s *scan) skipString(quote byte) {
	for s.at < len(s.text) && s.text[s.at] != '\n' {
		c := s.text[s.at]
		s.at++
		if c == '\\' && s.at < len(s.text) && s.text[s.at] != '\n' {
			s.at++
		}
		if c == quote {
			return
		}
	}
}

func (s *scan) skipComment() {
	if s.at < len(s.text) && s.text[s.at] == '/' {
		for s.at < len(s.text) && s.text[s.at] != '\n' {
			s.at++
		}
	}
}

// scanFailure is a scanFault of the named source as a compile failure.
func (s *sources) scanFailure(name string, f *scanFault) *runtime.Failure {
	return &runtime.Failure{
		Kind: runtime.KindCompile, Deterministic: true, Message: f.message, Hint: f.hint,
		File: s.author(name, f.line), Line: s.offset(name, f.line), Column: f.column,
	}
}
