package meter

import (
	"strings"
	"testing"
)

// Proves promise 2: with every check asking the host, no two are more than the bound apart, on
// the kernels, on straight code of any length, and in a loop that leaves its check to the
// function that its turns begin with, whatever follows that call.
func TestStretchesAreBounded(t *testing.T) {
	check := func(name string, g *guest, function string, args ...uint64) {
		t.Helper()
		b := plenty
		b.chunk = 1
		r := g.call(b, function, args...)
		if r.err != nil {
			t.Fatal(name, r.err)
		}
		if r.stretch > gapBound+treeBound+3*aheadBound {
			t.Errorf("%s: %d units without a check, %d in all", name, r.stretch, r.fuel)
		}
	}
	config := engines()["compiler"]
	for _, k := range kernels {
		if k.module != "go" {
			check(k.module+"/"+k.function, newGuest(t, config, fixture(t, k.module)), k.function, k.small)
		}
	}
	const add = "\x20\x00\x41\x01\x6a\x21\x00"
	long := "\x00" + strings.Repeat(add, 30_000) + "\x20\x00\x0b"
	check("straight code", newGuest(t, config, unary(long)), "a", 1)
	for _, rest := range []int{1, 40, 80, 3000, 12_000} {
		callee := "\x00" + strings.Repeat(add, 40) + "\x20\x00\x0b" // too much to go unchecked
		turn := "\x20\x00\x10\x01\x1a" + strings.Repeat(add, rest) + "\x20\x01\x41\x01\x6a\x22\x01\x41\xe4\x00\x48\x0d\x00"
		loop := "\x01\x01\x7f\x03\x40" + turn + "\x0b\x20\x00\x0b"
		check("a loop that calls", newGuest(t, config, unary(loop, callee)), "a", 1)
	}
}

// unary is a module of functions (i32) -> i32, the first exported as a.
func unary(code ...string) []byte {
	types, all := "", ""
	for _, c := range code {
		types += "\x00"
		all += string(appendBytes(nil, []byte(c)))
	}
	n := string(rune(len(code)))
	return []byte("\x00asm\x01\x00\x00\x00" + section(SectionType, "\x01\x60\x01\x7f\x01\x7f") + section(SectionFunction, n+types) +
		section(SectionExport, "\x01\x01a\x00\x00") + section(SectionCode, n+all))
}
