package meter

import (
	"encoding/binary"
	"errors"
	"strings"
	"testing"
)

// section is one section of a module.
func section(id byte, content string) string {
	return string(id) + string(binary.AppendUvarint(nil, uint64(len(content)))) + content
}

// bodies is a module of functions () -> () with the given bodies.
func bodies(code ...string) []byte {
	types, all := "", ""
	for _, c := range code {
		types += "\x00"
		all += string(binary.AppendUvarint(nil, uint64(len(c)))) + c
	}
	n := string(rune(len(code)))
	return []byte("\x00asm\x01\x00\x00\x00" + section(1, "\x01\x60\x00\x00") + section(3, n+types) + section(10, n+all))
}

// TestEffortIsBounded proves that a module on which the engine's compiler would spend
// minutes without a chance to stop it is refused before it is handed over, on the function
// that passes the bound, and that one half as long is not.
func TestEffortIsBounded(t *testing.T) {
	const loop = "\x03\x40\x41\x00\x0d\x00\x0b"
	loops := func(n int) string { return "\x00" + strings.Repeat(loop, n) + "\x0b" }
	manyLocals := func(n int) string { return "\x01\xe8\x07\x7f" + strings.Repeat("\x41\x00\x04\x40\x0b", n) + "\x0b" }
	table := func(n int) string {
		return "\x00\x02\x40\x41\x00\x0e" + string(binary.AppendUvarint(nil, uint64(n))) + strings.Repeat("\x00", n+1) + "\x0b\x0b"
	}
	for _, c := range []struct {
		name  string
		code  []string
		place string // "" where it is taken
	}{
		{"30 KB of loops", []string{"\x00\x0b", loops(4285)}, "function 1"},
		{"10 KB of loops", []string{loops(1430)}, ""},
		{"branches among 1,000 locals", []string{manyLocals(6000)}, "function 0"},
		{"a third of it", []string{manyLocals(2000)}, ""},
		{"100,000 labels of a br_table", []string{table(100_000)}, "function 0"},
		{"a fifth of it", []string{table(20_000)}, ""},
		{"eleven times 10 KB", []string{loops(1800), loops(1800), loops(1800), loops(1800), loops(1800), loops(1800), loops(1800), loops(1800),
			loops(1800), loops(1800), loops(1800)}, "function 10"},
	} {
		_, err := Rewrite(bodies(c.code...), Options{})
		var refusal *Refusal
		switch {
		case c.place == "" && err != nil:
			t.Errorf("%s: %v", c.name, err)
		case c.place != "" && (!errors.As(err, &refusal) || !errors.Is(err, ErrUnsupported) || !strings.HasSuffix(refusal.Place, c.place)):
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
