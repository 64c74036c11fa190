package script

import (
	"encoding/binary"
	"math/bits"
)

// The tokens of JSON. Each function returns the position after the token.

func skipSpace(text []byte, pos int) int {
	for pos < len(text) && text[pos] <= ' ' {
		switch text[pos] {
		case ' ', '\t', '\n', '\r':
			pos++
		default:
			return pos
		}
	}
	return pos
}

func scanWord(text []byte, pos int, word string) (int, error) {
	if len(text)-pos < len(word) || string(text[pos:pos+len(word)]) != word {
		return pos, fault(pos, "an unknown word")
	}
	return pos + len(word), nil
}

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// special has the high bit of every byte in w that ends a run of plain characters: a
// quote, a backslash or a control character. A byte before the first true one is never
// marked; later ones can be.
func special(w uint64) uint64 {
	quote, backslash := w^(ones*'"'), w^(ones*'\\')
	return ((w - ones*0x20) | (quote - ones) | (backslash - ones)) & ^w & highs
}

// scanString reads the string that begins at pos, eight bytes at a time.
func scanString(text []byte, pos int) (end int, escaped bool, err error) {
	i := pos + 1
	for {
		for i+8 <= len(text) {
			if found := special(binary.LittleEndian.Uint64(text[i:])); found != 0 {
				i += bits.TrailingZeros64(found) >> 3
				break
			}
			i += 8
		}
		for i < len(text) && text[i] != '"' && text[i] != '\\' && text[i] >= 0x20 {
			i++
		}
		switch {
		case i >= len(text):
			return i, escaped, fault(len(text), "a string without end")
		case text[i] == '"':
			return i + 1, escaped, nil
		case text[i] < 0x20:
			return i, escaped, fault(i, "a control character in a string")
		}
		escaped = true
		skip, ok := escapeLength(text[i:])
		if !ok {
			return i, escaped, fault(i, "an invalid escape")
		}
		i += skip
	}
}

// escapeLength returns the length of the escape at the head of s.
func escapeLength(s []byte) (int, bool) {
	if len(s) < 2 {
		return 0, false
	}
	switch s[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2, true
	case 'u':
		if len(s) < 6 {
			return 0, false
		}
		for _, c := range s[2:6] {
			if !isHex(c) {
				return 0, false
			}
		}
		return 6, true
	default:
		return 0, false
	}
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

// scanNumber reads -?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?.
func scanNumber(text []byte, start int) (int, error) {
	pos := start
	if pos < len(text) && text[pos] == '-' {
		pos++
	}
	whole := pos
	if pos < len(text) && text[pos] == '0' {
		pos++
	} else if pos = scanDigits(text, pos); pos == whole {
		if whole == start {
			return pos, fault(pos, "an unexpected character")
		}
		return pos, fault(pos, "a digit is missing")
	}
	if pos < len(text) && text[pos] == '.' {
		from := pos + 1
		if pos = scanDigits(text, from); pos == from {
			return pos, fault(pos, "a digit is missing after the point")
		}
	}
	if pos < len(text) && text[pos]|0x20 == 'e' {
		from := pos + 1
		if from < len(text) && (text[from] == '+' || text[from] == '-') {
			from++
		}
		if pos = scanDigits(text, from); pos == from {
			return pos, fault(pos, "a digit is missing in the exponent")
		}
	}
	return pos, nil
}

func scanDigits(text []byte, pos int) int {
	for pos < len(text) && text[pos]-'0' <= 9 {
		pos++
	}
	return pos
}
