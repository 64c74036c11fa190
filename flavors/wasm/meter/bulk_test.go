package meter

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"
)

// Proves that bulk operations in pieces do what whole ones do: overlapping copies in both
// directions, and what is out of bounds traps before it writes; that they are charged by
// length; and that a budget that is too small stops them before they write.
func TestBulkOperationsInPieces(t *testing.T) {
	const size = 5<<20 + 12345
	for name, config := range engines() {
		g := newGuest(t, config, fixture(t, "basic.wasm"))
		memory := g.module.Memory()
		pattern := make([]byte, size)
		for i := range pattern {
			pattern[i] = byte(i*7 + i>>9)
		}
		for _, move := range [][2]uint64{{1000, 500}, {500, 1000}, {3 << 20, 0}, {0, 3 << 20}, {77, 77}} {
			to, from := move[0], move[1]
			memory.Write(uint32(from), pattern)
			if r := g.call(plenty, "copy", to, from, size); r.err != nil || r.fuel != size/4+13 {
				t.Fatalf("%s: copy %v: fuel %d, %v", name, move, r.fuel, r.err)
			}
			if have, _ := memory.Read(uint32(to), size); !bytes.Equal(have, pattern) {
				t.Errorf("%s: copy %v differs", name, move)
			}
		}
		before, _ := memory.Read(0, memory.Size())
		before = bytes.Clone(before)
		short := plenty
		short.fuel = 1000
		for _, fault := range []struct {
			call string
			args []uint64
			b    budget
			want error
		}{
			{"fill", []uint64{60 << 20, 1, 5 << 20}, plenty, nil},
			{"copy", []uint64{0, 60 << 20, 5 << 20}, plenty, nil},
			{"copy", []uint64{0xffffffff, 0, 0xffffffff}, plenty, nil},
			{"fill", []uint64{0, 1, 5 << 20}, short, errFuel},
			{"copy", []uint64{1, 0, 8000}, short, errFuel},
		} {
			r := g.call(fault.b, fault.call, fault.args...)
			if fault.want == nil && (r.err == nil || !strings.Contains(r.err.Error(), "out of bounds")) ||
				fault.want != nil && !errors.Is(r.err, fault.want) {
				t.Errorf("%s: %s %v: %v", name, fault.call, fault.args, r.err)
			}
			if after, _ := memory.Read(0, memory.Size()); !bytes.Equal(before, after) {
				t.Errorf("%s: %s %v wrote before it failed", name, fault.call, fault.args)
			}
		}
	}
}

// Proves that loops, call trees without loops and long bulk operations all meet a
// deadline that has passed.
func TestC38DeadlineEndsTyped(t *testing.T) {
	for name, config := range engines() {
		b := plenty
		b.timeout = time.Nanosecond
		for _, c := range []struct {
			wasm, call string
			args       []uint64
		}{
			{"basic.wasm", "forever", nil},
			{"c.wasm", "calltree", []uint64{30}},
			{"basic.wasm", "fill", []uint64{0, 1, 4 << 20}},
		} {
			g := newGuest(t, config, fixture(t, c.wasm))
			if r := g.call(b, c.call, c.args...); !errors.Is(r.err, errDeadline) {
				t.Errorf("%s: %s: %v", name, c.call, r.err)
			}
		}
	}
}
