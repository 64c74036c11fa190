package script

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/dop251/goja"
)

// stringOf returns the value of a JSON string literal, quotes included. A lone
// surrogate survives, since a JavaScript string can hold one.
func (in *instance) stringOf(literal []byte, escaped bool) goja.Value {
	body := literal[1 : len(literal)-1]
	in.spend(int64(len(body)) >> 6)
	if !escaped {
		return in.vm.ToValue(strings.ToValidUTF8(string(body), "\uFFFD"))
	}
	if text, ok := unescape(body); ok {
		return in.vm.ToValue(text)
	}
	return goja.StringFromUTF16(unescape16(body))
}

// nameOf returns a member's name as goja hands it to a view: lone surrogates become
// U+FFFD, which goja does to every property name of a dynamic object.
func nameOf(literal []byte, escaped bool) string {
	body := literal[1 : len(literal)-1]
	if !escaped {
		return string(body)
	}
	if text, ok := unescape(body); ok {
		return text
	}
	return string(utf16.Decode(unescape16(body)))
}

// unescape resolves the escapes of body, or reports that it holds a lone surrogate.
// REQUIRES: body was validated by the indexer.
func unescape(body []byte) (string, bool) {
	out := make([]byte, 0, len(body))
	for i := 0; i < len(body); i++ {
		if body[i] != '\\' {
			out = append(out, body[i])
			continue
		}
		i++
		if body[i] != 'u' {
			out = append(out, unescapeByte(body[i]))
			continue
		}
		r := hex4(body[i+1:])
		i += 4
		if utf16.IsSurrogate(r) {
			if i+6 >= len(body) || body[i+1] != '\\' || body[i+2] != 'u' {
				return "", false
			}
			r = utf16.DecodeRune(r, hex4(body[i+3:]))
			if r == utf8.RuneError {
				return "", false
			}
			i += 6
		}
		out = utf8.AppendRune(out, r)
	}
	return strings.ToValidUTF8(string(out), "\uFFFD"), true
}

// unescape16 is unescape for strings with lone surrogates.
func unescape16(body []byte) []uint16 {
	var out []uint16
	for i := 0; i < len(body); {
		if body[i] == '\\' && body[i+1] == 'u' {
			out = append(out, uint16(hex4(body[i+2:])))
			i += 6
			continue
		}
		if body[i] == '\\' {
			out = append(out, uint16(unescapeByte(body[i+1])))
			i += 2
			continue
		}
		r, size := utf8.DecodeRune(body[i:])
		out = utf16.AppendRune(out, r)
		i += size
	}
	return out
}

func unescapeByte(c byte) byte {
	switch c {
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	default:
		return c
	}
}

func hex4(s []byte) rune {
	var r rune
	for _, c := range s[:4] {
		switch {
		case c <= '9':
			r = r<<4 | rune(c-'0')
		case c <= 'F':
			r = r<<4 | rune(c-'A'+10)
		default:
			r = r<<4 | rune(c-'a'+10)
		}
	}
	return r
}

const hexDigits = "0123456789abcdef"

// appendQuoted appends s as a JSON string the way JSON.stringify writes it.
func appendQuoted(dst []byte, s string) []byte {
	dst = append(dst, '"')
	from := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= 0x20 && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, s[from:i]...)
		dst = appendEscape(dst, uint16(c))
		from = i + 1
	}
	dst = append(dst, s[from:]...)
	return append(dst, '"')
}

func appendEscape(dst []byte, c uint16) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', byte(c))
	case '\b':
		return append(dst, '\\', 'b')
	case '\f':
		return append(dst, '\\', 'f')
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	default:
		return append(dst, '\\', 'u', hexDigits[c>>12], hexDigits[c>>8&15], hexDigits[c>>4&15], hexDigits[c&15])
	}
}

// appendString appends a JavaScript string; a lone surrogate is written as an escape.
func appendString(dst []byte, s goja.String) []byte {
	text := s.String()
	if !strings.Contains(text, "\uFFFD") {
		return appendQuoted(dst, text)
	}
	dst = append(dst, '"')
	for i, n := 0, s.Length(); i < n; i++ {
		c := s.CharAt(i)
		if utf16.IsSurrogate(rune(c)) && i+1 < n {
			if r := utf16.DecodeRune(rune(c), rune(s.CharAt(i+1))); r != utf8.RuneError {
				dst = utf8.AppendRune(dst, r)
				i++
				continue
			}
		}
		if c < 0x20 || c == '"' || c == '\\' || utf16.IsSurrogate(rune(c)) {
			dst = appendEscape(dst, c)
		} else {
			dst = utf8.AppendRune(dst, rune(c))
		}
	}
	return append(dst, '"')
}

// textDepth returns the nesting of valid JSON text.
func textDepth(text []byte) int {
	_, deepest := nesting(text, 0)
	return deepest
}

// nesting returns the depth at the end of a piece of valid JSON text that begins at a depth,
// and the largest in it.
func nesting(text []byte, depth int) (end, deepest int) {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '{', '[':
			depth++
			deepest = max(deepest, depth)
		case '}', ']':
			depth--
		case '"':
			for i++; text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		}
	}
	return depth, deepest
}

// numberOf returns the value of a JSON number literal. An integer that no double holds
// is remembered: assigning what was read would write another number.
func (in *instance) numberOf(literal []byte) goja.Value {
	text := string(literal)
	integer := !strings.ContainsAny(text, ".eE")
	if integer && len(text) <= 15 && text != "-0" {
		n, _ := strconv.ParseInt(text, 10, 64)
		return in.vm.ToValue(n)
	}
	f, _ := strconv.ParseFloat(text, 64)
	if integer && math.Abs(f) >= 1<<53 && strconv.FormatFloat(f, 'f', -1, 64) != text {
		in.rememberUnsafe(f, text)
	}
	return in.vm.ToValue(f)
}

// rememberUnsafe keeps the literal behind a rounded double for the rest of this Apply.
// Two different literals behind one double leave "" there.
func (in *instance) rememberUnsafe(f float64, literal string) {
	if in.unsafe == nil {
		in.unsafe = make(map[float64]string)
	}
	if known, ok := in.unsafe[f]; ok && known != literal {
		literal = ""
	}
	in.unsafe[f] = literal
}
