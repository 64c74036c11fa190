package script

import (
	"errors"
	"io"
	"reflect"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/dlclark/regexp2/v2"
	"github.com/dop251/goja"

	"github.com/leat-run/leat/runtime"
)

// subject is a text that is matched. Positions are those of JavaScript: UTF-16 units.
type subject struct {
	value  goja.String
	text   string // as UTF-8
	length int
	ascii  bool // text's bytes are the units
}

func (in *instance) subjectOf(v goja.String) *subject {
	s := &subject{value: v, length: v.Length()}
	if reflect.TypeOf(v).Kind() == reflect.Slice { // of UTF-16, which is converted each time
		in.spend(int64(s.length) >> 3)
	}
	s.text = v.String()
	s.ascii = len(s.text) == s.length // a unit beyond ASCII takes two or three bytes
	return s
}

// breaks says that the text has ends of lines which RE2 does not know.
func (s *subject) breaks() bool {
	return strings.IndexByte(s.text, '\r') >= 0 || !s.ascii && (strings.Contains(s.text, "\u2028") || strings.Contains(s.text, "\u2029"))
}

// interruptibleSteps is the most work of one match, in characters times instructions, that
// is done without a look at the deadline.
const interruptibleSteps = 16 << 20

// find returns the first match at or after start as pairs of positions, -1 for a group that
// took no part, or nil. In sticky mode the match begins at start. What the match walked is
// paid afterwards.
func (in *instance) find(p *pattern, s *subject, start int, sticky bool) []int {
	if p.lines {
		in.spend(int64(s.length) >> 6)
	}
	if p.program == nil || p.lines && s.breaks() {
		return in.backtrack(p, s, start, sticky)
	}
	rx, base, shifted := p.program, start, p.context && start > 0
	switch {
	case shifted && sticky:
		rx, base = p.afterHere(), start-1
	case shifted:
		rx, base = p.after(), start-1
	case sticky:
		rx = p.here()
	}
	var found []int
	if s.ascii && (s.length-base)*p.size <= interruptibleSteps {
		found = rx.FindStringSubmatchIndex(s.text[base:])
	} else {
		found = rx.FindReaderSubmatchIndex(&unitReader{in: in, s: s, pos: base, unicode: p.unicode})
	}
	if shifted && found != nil {
		found = found[2:]
	}
	walked := s.length - start
	for i, at := range found {
		if at >= 0 {
			found[i] = at + base
		}
	}
	if found != nil {
		walked = found[1] - start
		dropStale(found)
	}
	in.spend(2 + int64(walked)>>4 + int64(walked)*int64(p.size)>>8)
	return found
}

// dropStale clears groups that are left from an earlier round of a repeat, as far as their
// order tells: JavaScript forgets them.
func dropStale(found []int) {
	low := 0
	for i := 2; i < len(found); i += 2 {
		if found[i] >= 0 && found[i+1] >= low {
			low = found[i]
		} else {
			found[i], found[i+1] = -1, -1
		}
	}
}

// unitReader feeds UTF-16 units (characters, for a pattern with the flag u) to RE2 and
// looks at the deadline now and then.
type unitReader struct {
	in      *instance
	s       *subject
	pos     int
	unicode bool
}

// ReadRune returns the next unit; its size is in units.
func (r *unitReader) ReadRune() (rune, int, error) {
	if r.pos >= r.s.length {
		return 0, 0, io.EOF
	}
	if r.pos&1023 == 0 {
		r.in.spend(0)
	}
	if r.s.ascii {
		r.pos++
		return rune(r.s.text[r.pos-1]), 1, nil
	}
	c := rune(r.s.value.CharAt(r.pos))
	r.pos++
	if r.unicode && utf16.IsSurrogate(c) && r.pos < r.s.length {
		if full := utf16.DecodeRune(c, rune(r.s.value.CharAt(r.pos))); full != utf8.RuneError {
			r.pos++
			return full, 2, nil
		}
	}
	return c, 1, nil
}

// backtrack is find for a pattern that RE2 cannot match.
func (in *instance) backtrack(p *pattern, s *subject, start int, sticky bool) []int {
	if s.length > maxBacktrackSubject {
		in.stop(badInput("a text is too long for a regular expression that looks around or back",
			"match a shorter part of the text, or write the pattern without look-around and back-references (and without ^ and $ over several lines that end in \\r)",
			int64(s.length), maxBacktrackSubject))
	}
	in.spend(4 + int64(s.length)>>2)
	rx := in.backtracking(p)
	deadline := in.watched.deadlineTime()
	rx.MatchTimeout = max(time.Until(deadline), time.Millisecond)
	units, places, from := s.units(p.unicode, start)
	m, err := rx.FindRunesMatchStartingAt(units, from)
	switch {
	case errors.Is(err, regexp2.ErrBacktrackingStackLimit):
		in.stop(&limit{kind: runtime.KindMemory, message: "a regular expression needs too much memory to backtrack",
			hint: "match a shorter text, or write the pattern without nested repeats", measured: backtrackSlots + 1, limit: backtrackSlots})
	case err != nil:
		timeout := time.Duration(in.watched.timeout.Load())
		in.stop(timedOut(max(time.Since(deadline), 0)+timeout, timeout))
	}
	if l := in.watched.fired(); l != nil {
		in.stop(l)
	}
	if m == nil {
		return nil
	}
	found := make([]int, 0, 2*len(p.names))
	for _, g := range m.Groups() {
		if len(g.Captures) == 0 {
			found = append(found, -1, -1)
			continue
		}
		found = append(found, place(places, g.RuneIndex), place(places, g.RuneIndex+g.RuneLength))
	}
	if sticky && found[0] != start {
		return nil
	}
	return found
}

// units returns what the backtracking engine matches and where it begins. places maps
// back to UTF-16 units; it is nil where the two are the same.
func (s *subject) units(unicode bool, start int) (units []rune, places []int, from int) {
	units = make([]rune, 0, s.length)
	for i := 0; i < s.length; i++ {
		if i == start {
			from = len(units)
		}
		c := rune(s.value.CharAt(i))
		places = append(places, i)
		if unicode && utf16.IsSurrogate(c) && i+1 < s.length {
			if full := utf16.DecodeRune(c, rune(s.value.CharAt(i+1))); full != utf8.RuneError {
				c = full
				i++
			}
		}
		units = append(units, c)
	}
	if start >= s.length {
		from = len(units)
	}
	return units, append(places, s.length), from
}

func place(places []int, i int) int {
	if i < len(places) {
		return places[i]
	}
	return places[len(places)-1]
}

// maxBacktrackers bounds the backtracking programs that one instance keeps.
const maxBacktrackers = 64

// backtracking returns this instance's own program: its MatchTimeout is set before every
// match, which no other goroutine may see.
func (in *instance) backtracking(p *pattern) *regexp2.Regexp {
	if rx, ok := in.patterns.backtracking[p]; ok {
		return rx
	}
	in.spend(4 * patternPrice)
	rx, err := p.backtracking()
	if err != nil {
		panic(in.syntaxError("invalid regular expression: " + err.Error()))
	}
	if len(in.patterns.backtracking) >= maxBacktrackers {
		clear(in.patterns.backtracking)
	}
	in.patterns.backtracking[p] = rx
	return rx
}
