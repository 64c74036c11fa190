package script

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of a source file. Both parsers recurse, and a Go stack that overflows ends the
// process: what nests deeper than these never reaches them.
const (
	maxSource    = 1 << 20
	maxMarkup    = 8 << 10 // of a file with JSX, whose text nobody but its parser can tell from code
	maxNesting   = 400
	maxOperators = 20_000 // per statement
	maxHeads     = 2_000  // if, for, else and the like in front of one statement
	maxArrows    = 400    // arrow functions that are inside of each other: a bundler takes the cube of them
)

// scanFault is what the pre-scan refuses, with its place in the source.
type scanFault struct {
	message, hint string
	line, column  int
}

// prescan walks the bytes of a source without recursion. It knows strings, templates,
// comments and regular expressions well enough to count brackets and operators; where the
// grammar alone could tell a regular expression from a division and it matters, it refuses
// the source (prescan_slash.go).
func prescan(text string) *scanFault {
	if len(text) > maxSource {
		return &scanFault{
			message: fmt.Sprintf("the source has %d bytes, a source file may have %d", len(text), maxSource),
			hint:    "split it, or import only what is needed", line: 1, column: 1,
		}
	}
	s := newScanner(text)
	for s.pos < len(text) && s.fault == nil {
		s.token()
	}
	return s.fault
}

// prescanMarkup is prescan of a source with JSX.
func prescanMarkup(text string) *scanFault {
	if len(text) > maxMarkup {
		return &scanFault{
			message: fmt.Sprintf("the source has %d bytes, a source file with JSX may have %d", len(text), maxMarkup),
			hint:    "keep what is no JSX in a .ts or .js file", line: 1, column: 1,
		}
	}
	return prescan(text)
}

func newScanner(text string) *scanner {
	s := &scanner{text: text, line: 1, newline: true, levels: []level{{}}}
	rest := strings.TrimPrefix(text, "\ufeff")
	if strings.HasPrefix(rest, "#!") {
		s.pos = len(text) - len(rest)
		s.restOfLine()
	}
	return s
}

// level is one open bracket: what opened it and what came since its last statement.
type level struct {
	open      byte
	template  bool  // ${ of a template: its } goes on with the template
	slash     slash // after the bracket that closes it
	operators int   // of the statement at hand, and of those that it is inside of
	heads     int   // if, for, else and the like that the statement at hand stands behind
	chain     int   // those of the statement before: an else goes on with them
	arrows    int   // arrow functions that what comes is inside of (prescan_arrow.go)
	angle     bool  // a < since the last of them ended: a comma may belong to it
	outer     outer // what the level began with
}

// outer are the operators, heads and arrows of the statements that a level is inside of:
// parsers recurse into them all.
type outer struct{ operators, heads, arrows int }

type scanner struct {
	text    string
	pos     int
	line    int
	start   int // of the line
	levels  []level
	word    string // the last token, if it is a word and no property's name
	before  string // the word before it, if nothing stood between
	last    byte   // the last byte of the last token, 0 before the first one
	newline bool   // since the last token
	slash   slash  // what one would begin here
	fault   *scanFault
}

func (s *scanner) token() {
	c := s.text[s.pos]
	rest := s.text[s.pos:]
	switch {
	case s.lineEnd() > 0:
		s.passLineEnd()
	case spaceLen(rest) > 0:
		s.pos += spaceLen(rest)
	case strings.HasPrefix(rest, "<!--") || strings.HasPrefix(rest, "-->") && s.newline:
		s.restOfLine() // a comment since the days of HTML
	case c == '"' || c == '\'':
		s.quoted(c)
		s.after(division)
	case c == '`':
		s.pos++
		s.template()
	case c == '/':
		s.readSlash()
	case c == '(' || c == '[' || c == '{':
		s.opening(c)
	case c == ')' || c == ']' || c == '}':
		s.closing()
	case isWordByte(c):
		s.readWord()
	default:
		s.operator(c)
	}
}

func isWordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '$' || c == '#' || c == '\\' || c >= 0x80
}

// spaceLen is the length of the white space character that text starts with, 0 if it is none.
func spaceLen(text string) int {
	r, size := utf8.DecodeRuneInString(text)
	if r == ' ' || r == '\t' || r == '\v' || r == '\f' || r == '\ufeff' || r > 0x80 && unicode.Is(unicode.Zs, r) {
		return size
	}
	return 0
}

// lineEnd is the length of the line end here, 0 if there is none.
func (s *scanner) lineEnd() int {
	switch rest := s.text[s.pos:]; {
	case strings.HasPrefix(rest, "\r\n"):
		return 2
	case strings.HasPrefix(rest, "\n"), strings.HasPrefix(rest, "\r"):
		return 1
	case strings.HasPrefix(rest, "\u2028"), strings.HasPrefix(rest, "\u2029"):
		return 3
	default:
		return 0
	}
}

// passLineEnd passes a line end. Lines are numbered by \n.
func (s *scanner) passLineEnd() {
	s.pos += s.lineEnd()
	if s.newline = true; s.text[s.pos-1] == '\n' {
		s.line, s.start = s.line+1, s.pos
	}
}

// restOfLine passes all up to the line's end.
func (s *scanner) restOfLine() {
	for s.pos < len(s.text) && s.lineEnd() == 0 {
		s.pos++
	}
}

// after notes that a token ended here, and what a slash would begin next.
func (s *scanner) after(next slash) {
	s.word, s.before, s.newline, s.slash = "", "", false, next
	if s.last = 0; s.pos <= len(s.text) {
		s.last = s.text[s.pos-1]
	}
}

func (s *scanner) top() *level { return &s.levels[len(s.levels)-1] }

func (s *scanner) refuse(message, hint string) {
	if s.fault == nil {
		s.fault = &scanFault{message, hint, s.line, s.pos - s.start + 1}
	}
}

// count counts an operator of the statement at hand.
func (s *scanner) count() {
	if s.top().operators++; s.top().operators > maxOperators {
		s.refuse(fmt.Sprintf("one statement has more than %d operators", maxOperators), "split the statement, or load the data from a .json file")
	}
}

// ended notes that a statement ended.
func (l *level) ended() {
	if l.heads > l.outer.heads {
		l.chain = l.heads
	}
	l.operators, l.heads = l.outer.operators, l.outer.heads
	l.arrowsEnded()
}

// opening opens a level.
func (s *scanner) opening(c byte) {
	s.count()
	l := level{open: c, slash: division}
	switch {
	case c == '(' && (conditionWords[s.word] || s.word == "await" && s.before == "for"):
		l.slash = expression
	case c == '{':
		l.slash = s.afterBlock()
	}
	s.push(l)
	s.pos++
	s.after(expression)
}

func (s *scanner) push(l level) {
	if len(s.levels) > maxNesting {
		s.refuse(fmt.Sprintf("brackets nest deeper than %d", maxNesting), "split the expression, or load the data from a .json file")
		return
	}
	l.outer = outer{s.top().operators, s.top().heads, s.top().arrows}
	l.operators, l.heads, l.arrows = l.outer.operators, l.outer.heads, l.outer.arrows
	s.levels = append(s.levels, l)
}

func (s *scanner) closing() {
	s.pos++
	if len(s.levels) == 1 {
		s.after(either) // the parser will say what is wrong
		return
	}
	l := *s.top()
	s.levels = s.levels[:len(s.levels)-1]
	if l.template {
		s.template()
		return
	}
	if l.open == '{' && l.slash == expression {
		s.top().ended()
	}
	s.after(l.slash)
}

// escaped passes a backslash and what belongs to it.
func (s *scanner) escaped() {
	if s.pos++; s.pos >= len(s.text) {
		return
	}
	if s.lineEnd() > 0 {
		s.passLineEnd()
		return
	}
	s.pos++
}

func (s *scanner) quoted(quote byte) {
	for s.pos++; s.pos < len(s.text); {
		switch s.text[s.pos] {
		case '\\':
			s.escaped()
		case quote:
			s.pos++
			return
		case '\n', '\r':
			return // the parser will say what is wrong
		default:
			s.pos++
		}
	}
}

// template reads the text of a template up to its end or its next ${.
func (s *scanner) template() {
	for s.pos < len(s.text) {
		switch c := s.text[s.pos]; {
		case c == '\\':
			s.escaped()
		case s.lineEnd() > 0:
			s.passLineEnd()
		case c == '`':
			s.pos++
			s.after(division)
			return
		case strings.HasPrefix(s.text[s.pos:], "${"):
			s.count()
			s.push(level{open: '{', template: true})
			s.pos += 2
			s.after(expression)
			return
		default:
			s.pos++
		}
	}
}

func (s *scanner) blockComment() {
	for s.pos += 2; s.pos < len(s.text); {
		switch {
		case strings.HasPrefix(s.text[s.pos:], "*/"):
			s.pos += 2
			return
		case s.lineEnd() > 0:
			s.passLineEnd()
		default:
			s.pos++
		}
	}
}
