package script

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// patternScanner reads the source of a regular expression once, refuses what is not
// offered, and writes it anew for the engines: without names of groups, with characters
// beyond the first plane as UTF-16 where JavaScript matches UTF-16, and
// with [\S] spelled out.
type patternScanner struct {
	source string
	pos    int
	fault  *patternFault

	global, ignoreCase, multiline, dotAll, unicode, sticky bool

	names      []string
	every      []string        // the names of all groups, collected first
	plain      strings.Builder // for RE2
	lookaround strings.Builder // for the backtracking engine
	open       int
	anchors    bool
}

func (s *patternScanner) refuse(message, hint string) {
	if s.fault == nil {
		s.fault = &patternFault{message, hint, s.pos}
	}
}

// flags reads the flags.
func (s *patternScanner) flags(flags string) {
	for i, c := range flags {
		var flag *bool
		switch c {
		case 'g':
			flag = &s.global
		case 'i':
			flag = &s.ignoreCase
		case 'm':
			flag = &s.multiline
		case 's':
			flag = &s.dotAll
		case 'u':
			flag = &s.unicode
		case 'y':
			flag = &s.sticky
		}
		if flag == nil || *flag {
			s.refuse(fmt.Sprintf("the flag %q of a regular expression is not offered", flags[i:]), "the flags are g, i, m, s, u and y, once each")
			return
		}
		*flag = true
	}
}

// re2Flags returns the flags that RE2 takes inline.
func (s *patternScanner) re2Flags() (letters string) {
	if s.multiline {
		letters += "m"
	}
	if s.dotAll {
		letters += "s"
	}
	if s.ignoreCase {
		letters += "i"
	}
	return letters
}

// write appends to both texts.
func (s *patternScanner) write(text string) {
	s.plain.WriteString(text)
	s.lookaround.WriteString(text)
}

func (s *patternScanner) scan() {
	if len(s.source) > maxPattern {
		s.refuse(fmt.Sprintf("the regular expression has %d bytes, it may have %d", len(s.source), maxPattern), "match in several steps")
		return
	}
	s.names, s.every = []string{""}, groupNames(s.source)
	class := false
	for s.pos < len(s.source) && s.fault == nil {
		switch c := s.source[s.pos]; {
		case c == '\\':
			s.escape(class)
		case class:
			class = c != ']'
			s.character()
		case c == '[':
			class = true
			s.character()
		case c == '(':
			s.group()
		case c == ')':
			s.open--
			s.character()
		case c == '^' || c == '$':
			s.anchor(c)
		default:
			s.character()
		}
	}
}

// anchor writes ^ or $. The backtracking engine is told JavaScript's ends of lines.
func (s *patternScanner) anchor(c byte) {
	s.pos++
	s.anchors = true
	s.plain.WriteByte(c)
	switch {
	case !s.multiline:
		s.lookaround.WriteByte(c)
	case c == '^':
		s.lookaround.WriteString(`(?<![^\n\r\u2028\u2029])`)
	default:
		s.lookaround.WriteString(`(?![^\n\r\u2028\u2029])`)
	}
}

// character copies one character.
func (s *patternScanner) character() {
	r, size := utf8.DecodeRuneInString(s.source[s.pos:])
	if r > 0xFFFF && !s.unicode {
		high, low := utf16.EncodeRune(r)
		s.write(fmt.Sprintf(`\u%04x\u%04x`, high, low))
	} else {
		s.write(s.source[s.pos : s.pos+size])
	}
	s.pos += size
}

// group reads the head of a group.
func (s *patternScanner) group() {
	if s.open++; s.open > maxNesting {
		s.refuse(fmt.Sprintf("groups of a regular expression nest deeper than %d", maxNesting), "split it")
		return
	}
	rest := s.source[s.pos:]
	for _, head := range []string{"(?:", "(?=", "(?!", "(?<=", "(?<!"} {
		if strings.HasPrefix(rest, head) {
			s.write(head)
			s.pos += len(head)
			return
		}
	}
	name := ""
	if strings.HasPrefix(rest, "(?<") {
		if end := strings.IndexByte(rest, '>'); end > 3 {
			name, s.pos = rest[3:end], s.pos+end
		}
	}
	switch {
	case strings.HasPrefix(rest, "(?") && name == "":
		s.refuse("invalid group in a regular expression", "inline flags such as (?i:...) are not offered: set the flag on the whole expression")
		return
	case name != "" && slices.Contains(s.names, name):
		s.refuse("the group name "+strconv.Quote(name)+" comes twice in a regular expression", "name the groups apart")
		return
	}
	if s.names = append(s.names, name); len(s.names) > maxNesting {
		s.refuse(fmt.Sprintf("a regular expression has more than %d groups", maxNesting), "use (?:...) where the group is not read")
		return
	}
	s.write("(")
	s.pos++
}

// notSpace is \S as ranges inside a class: RE2's own \S knows ASCII only.
const notSpace = `\x00-\x08\x0e-\x1f!-\x9f\u00a1-\u167f\u1681-\u1fff\u200b-\u2027\u202a-\u202e\u2030-\u205e\u2060-\u2fff\u3001-\ufefe\uff00-`

// escape reads a backslash and what belongs to it.
func (s *patternScanner) escape(class bool) {
	if s.pos+1 >= len(s.source) {
		s.refuse("a regular expression ends in a backslash", "")
		return
	}
	switch c := s.source[s.pos+1]; {
	case c == 'p' || c == 'P':
		if s.unicode {
			s.refuse(`\`+string(c)+`{...} is not offered in regular expressions`, `write the range of characters, such as [a-z\u00c0-\u024f]`)
			return
		}
	case c == 'S' && class:
		last := `\uffff`
		if s.unicode {
			last = `\u{10ffff}`
		}
		s.plain.WriteString(notSpace + last)
		s.lookaround.WriteString(`\S`)
		s.pos += 2
		return
	case c == 'k' && len(s.every) > 0:
		s.namedReference()
		return
	case c == 'u' && s.unicode:
		if pair := surrogatePair(s.source[s.pos:]); pair != 0 {
			s.write(string(pair))
			s.pos += 12
			return
		}
	}
	s.write(`\`)
	s.pos++
	s.character()
}

// namedReference reads \k<name>.
func (s *patternScanner) namedReference() {
	rest := s.source[s.pos+2:]
	end := strings.IndexByte(rest, '>')
	if !strings.HasPrefix(rest, "<") || end < 0 {
		s.refuse(`\k without <name> in a regular expression`, "")
		return
	}
	at := slices.Index(s.every, rest[1:end])
	if at < 0 {
		s.refuse("a regular expression refers to the group "+strconv.Quote(rest[1:end])+", which it does not have", "")
		return
	}
	s.write(`(?:\` + strconv.Itoa(at+1) + `)`)
	s.pos += 2 + end + 1
}

// groupNames lists the groups of a source by name, "" where one has none; nil where no
// group has a name.
func groupNames(source string) (names []string) {
	class, any := false, false
	for i := 0; i < len(source); i++ {
		switch c := source[i]; {
		case c == '\\':
			i++
		case class:
			class = c != ']'
		case c == '[':
			class = true
		case c == '(':
			rest := source[i:]
			if !strings.HasPrefix(rest, "(?") {
				names = append(names, "")
			} else if end := strings.IndexByte(rest, '>'); strings.HasPrefix(rest, "(?<") && end > 3 && rest[3] != '=' && rest[3] != '!' {
				names, any = append(names, rest[3:end]), true
			}
		}
	}
	if !any {
		return nil
	}
	return names
}

// surrogatePair returns the character that two \u escapes of a surrogate each spell at the start of s, or 0.
func surrogatePair(s string) rune {
	if len(s) < 12 || s[6] != '\\' || s[7] != 'u' {
		return 0
	}
	for _, part := range []string{s[2:6], s[8:12]} {
		for i := range part {
			if !isHex(part[i]) {
				return 0
			}
		}
	}
	if r := utf16.DecodeRune(hex4([]byte(s[2:6])), hex4([]byte(s[8:12]))); r != utf8.RuneError {
		return r
	}
	return 0
}
