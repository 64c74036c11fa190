package meter

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
)

// program makes random valid modules whose functions call each other, branch and loop, and
// end: a global counts the calls down, and loops have a number of turns.
type program struct {
	*rand.Rand
	code      code
	functions int
	labels    []bool // of the open blocks, outermost first: whether a branch there goes backwards
	loops     int    // open loops; each counts in a local of its own
}

const (
	programFunctions = 6
	programLoops     = 3
	callsLeft        = 150
)

// module has functions (i32) -> i32, all in the table, the first two exported. Locals: 0 is the
// argument, 1 a spare, the others count turns.
func (p *program) module() []byte {
	p.functions = 2 + p.IntN(programFunctions-1)
	n := string(rune(p.functions))
	types, elements, all := "", "", ""
	for f := range p.functions {
		types += "\x00"
		if p.IntN(3) == 0 {
			elements += string(rune(f))
		}
		all += string(appendBytes(nil, p.function()))
	}
	if elements == "" {
		elements = "\x00"
	}
	size := string(rune(len(elements)))
	return []byte("\x00asm\x01\x00\x00\x00" + section(SectionType, "\x01\x60\x01\x7f\x01\x7f") + section(SectionFunction, n+types) +
		section(SectionTable, "\x01\x70\x00"+size) + section(SectionMemory, "\x01\x00\x01") +
		section(SectionGlobal, "\x01\x7f\x01\x41"+string(appendSigned(nil, callsLeft))+"\x0b") +
		section(SectionExport, "\x02\x01a\x00\x00\x01b\x00\x01") +
		section(SectionElement, "\x01\x00\x41\x00\x0b"+size+elements) + section(SectionCode, n+all))
}

func (p *program) function() code {
	p.code, p.labels, p.loops = code{1, programLoops + 1, typeI32}, p.labels[:0], 0
	if p.IntN(4) > 0 { // a leaf does without
		p.u32(byte(opGlobalGet), 0)
		p.i32(1)
		p.op(i32Sub)
		p.u32(byte(opGlobalSet), 0)
		p.u32(byte(opGlobalGet), 0)
		p.i32(0)
		p.op(0x48, byte(opIf), blockEmpty) // i32.lt_s
		p.get(0)
		p.op(byte(opReturn), byte(opEnd))
		p.statements(4, true)
	} else {
		p.statements(3, false)
	}
	p.get(0)
	p.op(byte(opEnd))
	return p.code
}

func (p *program) op(bytes ...byte)            { p.code.op(bytes...) }
func (p *program) u32(op byte, operand uint32) { p.code.u32(op, operand) }
func (p *program) i32(v int32)                 { p.code.i32(v) }
func (p *program) get(local uint32)            { p.u32(byte(opLocalGet), local) }
func (p *program) set(local uint32)            { p.u32(byte(opLocalSet), local) }

func (p *program) statements(depth int, calls bool) {
	for range 1 + p.IntN(4) {
		p.statement(depth, calls)
	}
}

func (p *program) statement(depth int, calls bool) {
	kind := p.IntN(12)
	switch {
	case kind < 4 && calls:
		p.call(kind == 0)
	case kind < 6 || depth == 0:
		p.get(uint32(p.IntN(2)))
		p.i32(int32(p.IntN(100)))
		p.op([]byte{i32Add, i32Sub, 0x73, 0x6c}[p.IntN(4)])
		p.set(uint32(p.IntN(2)))
	case kind < 7:
		p.nested(opBlock, depth, calls)
	case kind < 9:
		p.condition()
		p.nested(opIf, depth, calls)
	case kind < 10 && p.loops < programLoops:
		p.loop(depth, calls)
	case kind < 11:
		p.branch()
	default:
		p.i32(0) // memory.fill of a few bytes, a number that is not known beforehand
		p.i32(0)
		p.get(0)
		p.i32(15)
		p.op(0x71, prefixMisc, byte(opMemoryFill&0xff), 0)
	}
}

func (p *program) condition() {
	p.get(0)
	p.i32(int32(1 + p.IntN(3)))
	p.op(0x71) // i32.and
}

func (p *program) call(indirect bool) {
	p.get(0)
	if indirect {
		p.i32(0)
		p.op(byte(opCallIndirect), 0, 0)
	} else {
		p.u32(byte(opCall), uint32(p.IntN(p.functions)))
	}
	p.set(uint32(p.IntN(2)))
}

func (p *program) nested(op opcode, depth int, calls bool) {
	p.op(byte(op), blockEmpty)
	p.labels = append(p.labels, false)
	p.statements(depth-1, calls)
	if op == opIf && p.IntN(2) == 0 {
		p.op(byte(opElse))
		p.statements(depth-1, calls)
	}
	p.end()
}

func (p *program) end() {
	p.labels = p.labels[:len(p.labels)-1]
	p.op(byte(opEnd))
}

func (p *program) loop(depth int, calls bool) {
	counter := uint32(2 + p.loops)
	p.loops++
	p.i32(int32(1 + p.IntN(4)))
	p.set(counter)
	p.op(byte(opLoop), blockEmpty)
	p.labels = append(p.labels, true)
	p.statements(depth-1, calls)
	p.get(counter)
	p.i32(1)
	p.op(i32Sub)
	p.u32(byte(opLocalTee), counter)
	p.u32(byte(opBrIf), 0)
	p.end()
	p.loops--
}

// branch leaves blocks, never to a loop's head: turns are counted at its end only.
func (p *program) branch() {
	var forward []uint32
	for i, backwards := range p.labels {
		if !backwards {
			forward = append(forward, uint32(len(p.labels)-1-i))
		}
	}
	if len(forward) == 0 {
		return
	}
	label := forward[p.IntN(len(forward))]
	p.condition()
	if p.IntN(4) > 0 {
		p.u32(byte(opBrIf), label)
		return
	}
	p.op(byte(opBrTable), 2)
	p.code = appendUnsigned(p.code, forward[p.IntN(len(forward))])
	p.code = appendUnsigned(p.code, label)
	p.code = appendUnsigned(p.code, forward[p.IntN(len(forward))])
}

// Proves on random programs that charging ahead changes when fuel is charged and not how
// much: what a call uses is what it uses without, whatever the chunk; a budget of exactly that
// passes, and one unit less does not. The seed is printed.
func TestChargingAheadIsExact(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	config, programs := engines()["interpreter"], 1000
	if testing.Short() {
		programs = 200
	}
	p := program{Rand: rand.New(rand.NewPCG(seed, 1))}
	prepaid := 0
	for n := range programs {
		wasm := p.module()
		name := []string{"a", "b"}[p.IntN(2)]
		argument := uint64(p.IntN(1000))
		var want result
		for i, options := range []Options{{withoutAhead: true}, {Attributed: true}, {}} {
			r, err := Rewrite(wasm, options)
			if err != nil {
				t.Fatalf("program %d: %v\n%x", n, err, wasm)
			}
			fresh := func(b budget) result {
				g := newGuestOf(t, config, r.Module)
				defer g.vm.Close(t.Context())
				return g.call(b, name, argument)
			}
			b := plenty
			b.chunk = []int64{1, 50, 1 << 40}[p.IntN(3)]
			have := fresh(b)
			if i == 0 {
				want = have
			}
			if have.err != nil || have.fuel != want.fuel || !slices.Equal(have.values, want.values) {
				t.Fatalf("program %d: %v, %d units, %v; want %v, %d units\n%x", n, have.values, have.fuel, have.err, want.values, want.fuel, wasm)
			}
			b.fuel = have.fuel
			if again := fresh(b); again.err != nil || again.fuel != have.fuel {
				t.Fatalf("program %d: a budget of what it uses fails: %v\n%x", n, again.err, wasm)
			}
			b.fuel--
			if again := fresh(b); !errors.Is(again.err, errFuel) {
				t.Fatalf("program %d: one unit less passes (%v)\n%x", n, again.err, wasm)
			}
			prepaid += r.prepaid
		}
	}
	if prepaid == 0 {
		t.Error("no function was paid by its callers")
	}
	t.Logf("%d functions were paid by their callers", prepaid)
}
