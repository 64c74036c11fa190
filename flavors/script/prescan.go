package script

import "fmt"

// Bounds of a source file. Both parsers recurse, and a Go stack that overflows ends the
// process: what nests deeper than these never reaches them.
const (
	maxSource    = 1 << 20
	maxNesting   = 400
	maxOperators = 20_000 // per statement
)

// scanFault is what the pre-scan refuses, with its place in the source.
type scanFault struct {
	message, hint string
	line, column  int
}

// prescan walks the bytes of a source without recursion. It knows strings, templates,
// comments and regular expressions well enough to count brackets and operators.
func prescan(text string) *scanFault {
	if len(text) > maxSource {
		return &scanFault{
			message: fmt.Sprintf("the source has %d bytes, a source file may have %d", len(text), maxSource),
			hint:    "split it, or import only what is needed", line: 1, column: 1,
		}
	}
	s := &scanner{text: text, line: 1, regexp: true}
	s.levels = append(s.levels, level{})
	for s.pos < len(text) && s.fault == nil {
		s.token()
	}
	return s.fault
}

// level is one open bracket: what opened it and what came since its last statement.
type level struct {
	open      byte
	template  bool // ${ of a template: its } goes on with the template
	condition bool // ( after if, while, for or with: a regular expression may follow )
	block     bool // { of a block: a regular expression may follow }
	operators int
}

type scanner struct {
	text   string
	pos    int
	line   int
	start  int // of the line
	levels []level
	word   string // the last word, "" after anything else
	regexp bool   // a slash here begins a regular expression
	fault  *scanFault
}

func (s *scanner) token() {
	c := s.text[s.pos]
	switch {
	case c == '\n':
		s.line++
		s.pos++
		s.start = s.pos
	case c == ' ' || c == '\t' || c == '\r':
		s.pos++
	case c == '"' || c == '\'':
		s.quoted(c)
		s.after(false)
	case c == '`':
		s.pos++
		s.template()
	case c == '/':
		s.slash()
	case c == '(' || c == '[' || c == '{':
		s.opening(c)
	case c == ')' || c == ']' || c == '}':
		s.closing(c)
	case isWordByte(c):
		s.readWord()
	default:
		s.operator(c)
	}
}

func isWordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '$' || c >= 0x80
}

// after notes that a token ended here, and what a slash would mean next.
func (s *scanner) after(regexp bool) { s.word, s.regexp = "", regexp }

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

// regexpWords are the keywords after which a slash begins a regular expression.
var regexpWords = map[string]bool{
	"return": true, "typeof": true, "case": true, "in": true, "of": true, "delete": true, "void": true,
	"throw": true, "new": true, "else": true, "do": true, "instanceof": true, "yield": true, "await": true,
}

// statementWords begin a statement wherever they stand as a word of their own.
var statementWords = map[string]bool{
	"const": true, "let": true, "var": true, "for": true, "while": true, "return": true,
	"export": true, "import": true, "throw": true, "switch": true, "try": true,
}

func (s *scanner) readWord() {
	start := s.pos
	property := start > 0 && s.text[start-1] == '.'
	for s.pos < len(s.text) && isWordByte(s.text[s.pos]) {
		s.pos++
	}
	word := s.text[start:s.pos]
	if statementWords[word] && !property {
		s.top().operators = 0
	}
	s.word, s.regexp = word, regexpWords[word] && !property
}

func (s *scanner) operator(c byte) {
	s.pos++
	if c == ';' {
		s.top().operators = 0
	} else {
		s.count()
	}
	s.after(true)
}

func (s *scanner) opening(c byte) {
	s.count()
	l := level{open: c}
	switch c {
	case '(':
		l.condition = s.word == "if" || s.word == "while" || s.word == "for" || s.word == "with"
	case '{':
		l.block = !s.regexp || s.word == "else" || s.word == "do" || s.pos == 0 || s.follows(";{}>")
	}
	s.push(l)
	s.pos++
	s.after(true)
}

// follows says whether the last byte that is no space is one of set.
func (s *scanner) follows(set string) bool {
	for i := s.pos - 1; i >= 0; i-- {
		switch s.text[i] {
		case ' ', '\t', '\n', '\r':
			continue
		}
		for j := range set {
			if set[j] == s.text[i] {
				return true
			}
		}
		return false
	}
	return true
}

func (s *scanner) push(l level) {
	if len(s.levels) > maxNesting {
		s.refuse(fmt.Sprintf("brackets nest deeper than %d", maxNesting), "split the expression, or load the data from a .json file")
		return
	}
	s.levels = append(s.levels, l)
}

func (s *scanner) closing(byte) {
	s.pos++
	if len(s.levels) == 1 {
		s.after(false) // the parser will say what is wrong
		return
	}
	l := *s.top()
	s.levels = s.levels[:len(s.levels)-1]
	if l.template {
		s.template()
		return
	}
	s.after(l.condition || l.block)
}

func (s *scanner) quoted(quote byte) {
	for s.pos++; s.pos < len(s.text); s.pos++ {
		switch s.text[s.pos] {
		case '\\':
			s.pos++
		case quote:
			s.pos++
			return
		case '\n':
			return // the parser will say what is wrong
		}
	}
}

// template reads the text of a template up to its end or its next ${.
func (s *scanner) template() {
	for ; s.pos < len(s.text); s.pos++ {
		switch s.text[s.pos] {
		case '\\':
			s.pos++
		case '\n':
			s.line, s.start = s.line+1, s.pos+1
		case '`':
			s.pos++
			s.after(false)
			return
		case '$':
			if s.pos+1 < len(s.text) && s.text[s.pos+1] == '{' {
				s.pos += 2
				s.count()
				s.push(level{open: '{', template: true})
				s.after(true)
				return
			}
		}
	}
}

// slash reads a comment, a regular expression or a division.
func (s *scanner) slash() {
	next := byte(0)
	if s.pos+1 < len(s.text) {
		next = s.text[s.pos+1]
	}
	switch {
	case next == '/':
		for s.pos < len(s.text) && s.text[s.pos] != '\n' {
			s.pos++
		}
	case next == '*':
		s.blockComment()
	case s.regexp:
		s.expression()
		s.after(false)
	default:
		s.operator('/')
	}
}

func (s *scanner) blockComment() {
	for s.pos += 2; s.pos < len(s.text); s.pos++ {
		if s.text[s.pos] == '\n' {
			s.line, s.start = s.line+1, s.pos+1
		}
		if s.text[s.pos] == '*' && s.pos+1 < len(s.text) && s.text[s.pos+1] == '/' {
			s.pos += 2
			return
		}
	}
}

// expression reads a regular expression; its groups count as brackets, since its
// parser recurses too.
func (s *scanner) expression() {
	class, groups := false, 0
	for s.pos++; s.pos < len(s.text); s.pos++ {
		switch c := s.text[s.pos]; {
		case c == '\\':
			s.pos++
		case c == '\n':
			return
		case class:
			class = c != ']'
		case c == '[':
			class = true
		case c == '(':
			if groups++; groups > maxNesting {
				s.refuse(fmt.Sprintf("a regular expression has more than %d groups", maxNesting), "split it")
				return
			}
		case c == '/':
			s.pos++
			return
		}
	}
}
