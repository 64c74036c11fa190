package script

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// foldedIn returns how many characters the ranges in the classes of an expression span, each
// range by itself: where case is ignored, both engines walk them one by one for their other
// cases.
func foldedIn(source string, unicode bool) (n int) {
	class := false
	for i := 0; i < len(source); {
		switch c := source[i]; {
		case !class && c == '\\':
			i += 2
		case !class || c == ']':
			class = c == '['
			i++
		default:
			low, size := classRune(source[i:], unicode)
			i += size
			if i+1 < len(source) && source[i] == '-' && source[i+1] != ']' {
				high, size := classRune(source[i+1:], unicode)
				i += 1 + size
				n += max(int(high-low), 0)
			}
		}
	}
	return n
}

// classRune reads one character of a class, with its size in bytes. An escape that is no
// number, such as \d, reads as its letter: it spans little.
func classRune(s string, unicode bool) (rune, int) {
	if number, size := numberEscape(s, unicode); size > 0 {
		if n, err := strconv.ParseUint(number, 16, 21); err == nil {
			return rune(n), size
		}
	}
	escape := len(s) - len(strings.TrimPrefix(s, `\`))
	r, size := utf8.DecodeRuneInString(s[escape:])
	return r, escape + size
}

// numberEscape returns the digits of an escape such as \xFF, and its size or 0.
func numberEscape(s string, unicode bool) (string, int) {
	switch {
	case unicode && strings.HasPrefix(s, `\u{`):
		number, _, _ := strings.Cut(s[3:min(len(s), 3+maxNumber)], "}")
		return number, 3 + len(number) + 1
	case strings.HasPrefix(s, `\u`) && len(s) >= 6:
		return s[2:6], 6
	case strings.HasPrefix(s, `\x`) && len(s) >= 4:
		return s[2:4], 4
	}
	return "", 0
}

// maxNumber is more than the zeros and digits of any \u{...} that is written in earnest.
const maxNumber = 64
