package script

import (
	"fmt"
	"strings"
)

// slash is what a slash begins.
type slash int

const (
	expression slash = iota // a regular expression
	division
	either // the grammar knows
)

// conditionWords stand in front of parentheses that a statement follows.
var conditionWords = map[string]bool{"if": true, "while": true, "for": true, "with": true}

// blockWords stand in front of a block.
var blockWords = map[string]bool{"else": true, "do": true, "try": true, "finally": true}

// headWords stand in front of a statement that belongs to them.
var headWords = map[string]bool{"if": true, "while": true, "for": true, "with": true, "else": true, "do": true}

// slashWords are the words after which a slash does not divide, or may not.
var slashWords = map[string]slash{
	"return": expression, "typeof": expression, "case": expression, "in": expression, "delete": expression, "void": expression,
	"throw": expression, "new": expression, "else": expression, "do": expression, "instanceof": expression, "extends": expression,
	"default": expression, "of": either, "yield": either, "await": either, "let": either,
}

// declaringWords stand in front of a name.
var declaringWords = map[string]bool{"const": true, "let": true, "var": true}

// statementWords begin a statement; those that can stand elsewhere only where one can begin.
var statementWords = map[string]bool{
	"const": true, "let": false, "var": true, "for": true, "while": true, "return": true,
	"export": true, "import": false, "throw": true, "switch": true, "try": true,
}

// readWord reads a name, a keyword or a number.
func (s *scanner) readWord() {
	start, property, word := s.pos, s.last == '.', s.word
	number := s.text[start] >= '0' && s.text[start] <= '9'
	for s.pos < len(s.text) && (s.inWord() || number && s.text[s.pos] == '.') {
		if s.pos++; strings.HasPrefix(s.text[s.pos-1:], `\u{`) {
			s.pos += len(`u{`)
			for s.pos < len(s.text) && (isHex(s.text[s.pos]) || s.text[s.pos] == '}') && s.text[s.pos-1] != '}' {
				s.pos++
			}
		}
	}
	if word != "" {
		s.count() // words in a row nest: new new new
	}
	begins, declared := s.begins(), s.top().open == '(' && declaringWords[s.before]
	s.after(division)
	if text := s.text[start:s.pos]; !property {
		s.word, s.before = text, word
		if begins && !joiningWords[text] {
			s.top().arrowsEnded()
		}
		s.keyword(begins)
		if next, ok := slashWords[text]; ok {
			s.slash = next
		}
		if text == "of" && declared {
			s.slash = expression // for (const x of /.../
		}
	}
	s.last = 'a'
}

// inWord says whether the byte here is one of a word.
func (s *scanner) inWord() bool {
	c := s.text[s.pos]
	return isWordByte(c) && (c < 0x80 || s.lineEnd() == 0 && spaceLen(s.text[s.pos:]) == 0)
}

// begins says whether a statement can begin here.
func (s *scanner) begins() bool {
	return s.last == 0 || s.last == ';' || s.last == '{' || s.last == '}' || s.newline && s.slash != expression
}

// keyword counts what the statement at hand stands behind.
func (s *scanner) keyword(begins bool) {
	l := s.top()
	if always, ok := statementWords[s.word]; ok && (always || begins) {
		l.operators = l.outer.operators
		if !headWords[s.word] {
			l.ended() // no statement without braces is inside of these
		}
	}
	if !headWords[s.word] {
		return
	}
	if s.word == "else" {
		l.heads = max(l.heads, l.chain)
	}
	if l.heads++; l.heads > maxHeads {
		s.refuse(fmt.Sprintf("one statement is inside of more than %d others", maxHeads), "split it, or use a table")
	}
}

// afterBlock says what a slash begins behind the brace that belongs to the one here.
func (s *scanner) afterBlock() slash {
	statement := s.top().open == 0 || s.top().open == '{' && !s.top().template
	if blockWords[s.word] || s.last == ')' && s.slash == expression || s.last == 0 || s.last == ';' && statement {
		return expression
	}
	return either
}

// operator reads one operator, or a byte of it.
func (s *scanner) operator(c byte) {
	rest, next := s.text[s.pos:], expression
	value := s.slash != expression // may stand here
	switch {
	case c == ';':
		s.top().ended()
	case c == ',' && !s.top().angle:
		s.top().arrowsEnded()
	case c == '<':
		s.top().angle = true
	case c == '>' && s.last == '=':
		s.arrow()
	case strings.HasPrefix(rest, "..."):
		s.pos += 2
	case c == '.':
		next = division // of a number: no other one can be in front of a slash
	case strings.HasPrefix(rest, "++"), strings.HasPrefix(rest, "--"):
		if s.pos++; !s.newline {
			next = s.slash // of the value in front or of the one behind
		}
	case c == '!' && value && !s.newline && !strings.HasPrefix(rest, "!="):
		next = either // TypeScript's
	case c == '>' && s.last != '=':
		next = either // of a type's arguments
	}
	if s.pos++; c != ';' {
		s.count()
	}
	dots := strings.HasPrefix(rest, "...")
	if s.after(next); dots {
		s.last = '*' // what follows is no property
	}
}

// readSlash reads a comment, a regular expression or a division.
func (s *scanner) readSlash() {
	switch {
	case strings.HasPrefix(s.text[s.pos:], "//"):
		s.restOfLine()
	case strings.HasPrefix(s.text[s.pos:], "/*"):
		s.blockComment()
	case s.slash == expression:
		s.pos = s.expressionEnd()
		s.after(division)
	case s.slash == either || s.newline: // a statement without a semicolon may have ended
		s.readEither()
	default:
		s.operator('/')
	}
}

// readEither passes what is a regular expression or two divisions, if it is the same to all that
// follows.
func (s *scanner) readEither() {
	end := s.expressionEnd()
	body := s.text[s.pos+1 : end]
	if s.fault != nil {
		return
	}
	if body == "" || body[len(body)-1] != '/' {
		s.operator('/') // a regular expression would have no end: an error
		return
	}
	comment := strings.HasPrefix(s.text[end:], "/") || strings.HasPrefix(s.text[end:], "*") // if the second slash divides
	if comment || strings.ContainsAny(body, "'\"`()[]{}") || strings.Contains(body, "--") {
		s.refuseSlash()
		return
	}
	for s.operator('/'); s.pos < end-1; {
		s.token()
	}
	if s.slash != division {
		s.refuseSlash() // the second one may begin a regular expression
		return
	}
	s.pos = end
	s.after(either)
}

func (s *scanner) refuseSlash() {
	s.refuse("it takes a parser to tell whether this slash divides or begins a regular expression", "put a ; or a ( in front of it")
}

// expressionEnd is where the regular expression that begins here, or the line, ends. Its groups
// count as brackets, since its parser recurses too.
func (s *scanner) expressionEnd() int {
	e := *s
	class, groups := false, 0
	for e.pos++; e.pos < len(e.text) && e.lineEnd() == 0; e.pos++ {
		switch c := e.text[e.pos]; {
		case c == '\\':
			if e.pos++; e.pos < len(e.text) && e.lineEnd() > 0 {
				return e.pos
			}
		case class:
			class = c != ']'
		case c == '[':
			class = true
		case c == '(':
			if groups++; groups > maxNesting {
				s.refuse(fmt.Sprintf("a regular expression has more than %d groups", maxNesting), "split it")
				return e.pos
			}
		case c == '/':
			return e.pos + 1
		}
	}
	return min(e.pos, len(e.text))
}
