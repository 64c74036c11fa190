package script

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"sync"

	"github.com/dlclark/regexp2/v2"
	"github.com/dop251/goja/parser"
)

// Bounds of one regular expression.
const (
	maxPattern     = 64 << 10 // bytes of its source
	maxPatternSize = 20_000   // instructions of its RE2 program
	maxFolded      = 1 << 20  // characters in the ranges of its classes, where it ignores case
	// maxBacktrackSubject is the longest text, in UTF-16 units, that a pattern with
	// look-around or back-references is matched against (decisions.md).
	maxBacktrackSubject = 16 << 10
)

// pattern is a compiled regular expression: immutable, shared by the instances of a
// module. goja keeps the RegExp object (its source, flags and lastIndex); what matches is
// this, since goja matches by backtracking where RE2 could, and takes the end of
// a backtracking match for "no match".
//
// Groups have no names in either engine: names holds them.
type pattern struct {
	global, sticky, unicode bool

	names   []string       // of each group, "" where it has none; names[0] is the match
	program *regexp.Regexp // nil: look-around, a back-reference or a repeat beyond RE2
	size    int            // instructions of program, about
	folded  int            // characters in the ranges of its classes: an engine that ignores case walks them
	context bool           // ^, \b or \B: what stands before the start matters
	lines   bool           // ^ or $ in multiline mode: RE2 knows no end of line but \n

	after, here, afterHere func() *regexp.Regexp // program, beyond the start and anchored there

	text    string // for regexp2
	options regexp2.RegexOptions
}

// patternFault is what a pattern was refused for, with its offset in the source.
type patternFault struct {
	message, hint string
	offset        int
}

// newPattern compiles a pattern of JavaScript's. What goja would get silently wrong is
// refused.
func newPattern(source, flags string) (*pattern, *patternFault) {
	s := &patternScanner{source: source}
	if s.flags(flags); s.fault == nil {
		s.scan()
	}
	if s.fault != nil {
		return nil, s.fault
	}
	p := &pattern{global: s.global, sticky: s.sticky, unicode: s.unicode, names: s.names, lines: s.multiline && s.anchors}
	p.text, p.options = s.lookaround.String(), regexp2.ECMAScript
	for flag, option := range map[bool]regexp2.RegexOptions{s.dotAll: regexp2.Singleline, s.ignoreCase: regexp2.IgnoreCase, s.unicode: regexp2.Unicode} {
		if flag {
			p.options |= option
		}
	}
	return p, p.compile(s)
}

// compile makes the RE2 program, if there is one.
func (p *pattern) compile(s *patternScanner) *patternFault {
	if p.folded = foldedIn(s.plain.String(), s.unicode); s.ignoreCase && p.folded > maxFolded {
		return &patternFault{
			message: fmt.Sprintf("the classes of a regular expression that ignores case span %d characters, they may span %d", p.folded, maxFolded),
			hint:    "write . or [^] for any character, or spell both cases",
		}
	}
	text, err := parser.TransformRegExp(s.plain.String(), s.dotAll, s.unicode)
	if incompatible := (parser.RegexpErrorIncompatible{}); errors.As(err, &incompatible) {
		return p.checkBacktracking()
	}
	if err != nil {
		return &patternFault{message: "invalid regular expression: " + err.Error()}
	}
	if letters := s.re2Flags(); letters != "" {
		text = "(?" + letters + ":" + text + ")"
	}
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		var fault *syntax.Error
		if errors.As(err, &fault) && fault.Code == syntax.ErrInvalidRepeatSize {
			return p.checkBacktracking()
		}
		return &patternFault{message: "invalid regular expression: " + err.Error()}
	}
	if p.size = programSize(tree); p.size > maxPatternSize {
		return &patternFault{
			message: fmt.Sprintf("the regular expression is too large (%d steps, it may have %d)", p.size, maxPatternSize),
			hint:    "repeat less, or match in two steps",
		}
	}
	p.context = looksBack(tree)
	if p.program, err = regexp.Compile(text); err != nil {
		return &patternFault{message: "invalid regular expression: " + err.Error()}
	}
	variant := func(format string) func() *regexp.Regexp {
		return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(fmt.Sprintf(format, text)) })
	}
	p.after = variant(`\A(?s:.)(?s:.*?)(%s)`)
	p.here = variant(`\A(?:%s)`)
	p.afterHere = variant(`\A(?s:.)(%s)`)
	return nil
}

// checkBacktracking finds what the backtracking engine cannot compile either.
func (p *pattern) checkBacktracking() *patternFault {
	if _, err := p.backtracking(); err != nil {
		return &patternFault{message: "invalid regular expression: " + err.Error()}
	}
	return nil
}

// backtrackSlots bounds the stack of one backtracking match.
const backtrackSlots = 1 << 18

// backtracking compiles p for the other engine. The result belongs to one instance, which
// sets its MatchTimeout before every match.
func (p *pattern) backtracking() (*regexp2.Regexp, error) {
	return regexp2.Compile(p.text, p.options, regexp2.OptionMaxBacktrackingStackSize(backtrackSlots))
}

// programSize estimates the instructions of a program before it is made: a repeat of
// repeats multiplies.
func programSize(re *syntax.Regexp) int {
	size := 1
	if re.Op == syntax.OpLiteral || re.Op == syntax.OpCharClass {
		size = max(len(re.Rune), 1)
	}
	for _, sub := range re.Sub {
		size += programSize(sub)
	}
	if re.Op == syntax.OpRepeat {
		size *= max(re.Min, re.Max, 1)
	}
	return min(size, 1<<30)
}

// looksBack says whether a program asks what stands before a place.
func looksBack(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpBeginLine, syntax.OpBeginText, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return true
	}
	for _, sub := range re.Sub {
		if looksBack(sub) {
			return true
		}
	}
	return false
}

// named says whether a group has a name.
func (p *pattern) named() bool { return strings.Join(p.names, "") != "" }
