package meter

import "fmt"

// facts is what the first pass learns about a function.
type facts struct {
	blocks      []blockFacts // in the order in which blocks open
	calls       []int        // defined functions it calls, once per call, numbered from 0
	cost        int64        // of all its live instructions, each taken once
	weight      int64        // of its frame, in the depth counter
	branches    int64        // that compiling it has to do with (effort.go)
	params      int
	locals      int  // parameters included
	localsEnd   int  // offset of the first instruction
	leaves      bool // calls the host, or through a table: no telling what runs
	loops       bool // has a loop that live code branches back to
	bulk        bool // has operations whose work depends on an operand
	loopsAtOnce bool // such a loop is reached within a few plain instructions
}

// blockFacts is what is known of a block before its second reading.
type blockFacts struct {
	targeted bool // a live branch leads to its label
	hasElse  bool
}

const (
	// atOnce is how many instructions may stand before a loop that replaces the check
	// at a function's entry.
	atOnce = 24
	// maxLocals is the engine's bound on locals, with room for the counter's.
	maxLocals = 50_000
)

// scan is the first pass over one body: it checks every index in it and finds out what
// the second pass must know beforehand.
type scan struct {
	*module
	facts
	r       reader
	stack   []scanFrame
	live    bool
	plain   int // instructions so far, while nothing but plain ones was met; -1 after
	early   int // the block that is a loop reached at once; -1 if none
	written instr
	last    constant
}

// scanFrame is an open block. Entered dead, it stays dead to its end.
type scanFrame struct {
	op       opcode
	block    int // index into blocks; -1 for the function itself
	entered  bool
	thenLive bool // the then arm of an if fell through to its else
}

func (m *module) scanBody(f int) (facts, *Refusal) {
	body := m.bodies[f]
	s := scan{
		module: m, live: true, early: -1,
		r: reader{src: m.src, at: body.from, end: body.to, place: m.placeOf(f)},
	}
	s.params = len(m.types[m.functions[m.importedFunctions+f]].params)
	s.readLocals()
	s.weight = min(1+s.weight/slotsPerFrame+int64(body.to-body.from)/bytesPerFrame, maxFrame)
	s.stack = append(s.stack, scanFrame{block: -1, entered: true})
	for s.r.ok() && len(s.stack) > 0 {
		s.next(&s.r, &s.written)
		if s.r.ok() {
			s.step(&s.written)
		}
	}
	if s.r.ok() && s.r.left() > 0 {
		s.r.malformed("%d bytes after the end of the function", s.r.left())
	}
	s.loopsAtOnce = s.early >= 0 && s.blocks[s.early].targeted
	return s.facts, s.r.err
}

func (m *module) placeOf(f int) string {
	return fmt.Sprintf("code section, function %d", m.importedFunctions+f)
}

// A frame counts once in the depth, and once more for each of these: so that many
// frames of a large function cannot take more host memory than the bound suggests.
const (
	slotsPerFrame = 256
	bytesPerFrame = 16 << 10
)

func (s *scan) readLocals() {
	total := int64(s.params)
	slots := total
	n := s.r.count("groups of locals")
	for i := 0; i < n && s.r.ok(); i++ {
		count := int64(s.r.u32())
		slots += count
		if readValueType(&s.r) == typeV128 {
			slots += count
		}
		if total += count; total > maxLocals {
			s.r.unsupported("", "more than %d locals", maxLocals)
		}
	}
	s.locals, s.localsEnd, s.weight = int(total), s.r.at, slots
}

func (s *scan) step(in *instr) {
	s.changes.noteInstruction(in.op)
	s.branches += in.branches()
	if s.live {
		s.count(in)
	}
	switch in.op {
	case opBlock, opLoop, opIf:
		s.open(in)
	case opElse:
		s.otherwise()
	case opEnd:
		s.close()
	case opBr:
		s.branch(in.a)
		s.live = false
	case opBrIf:
		s.branch(in.a)
	case opBrTable:
		for _, label := range in.many {
			s.branch(label)
		}
		s.branch(in.a)
		s.live = false
	case opReturn, opUnreachable:
		s.live = false
	case opLocalGet, opLocalSet, opLocalTee:
		if int64(in.a) >= int64(s.locals) {
			s.r.malformed("local %d does not exist, there are %d", in.a, s.locals)
		}
	}
	s.last.note(in)
}

// count adds a live instruction to what is known of calls, cost and the way to the
// first loop.
func (s *scan) count(in *instr) {
	s.facts.cost += s.module.cost(in)
	switch {
	case in.op == opCall && int(in.a) >= s.importedFunctions:
		s.calls = append(s.calls, int(in.a)-s.importedFunctions)
	case in.op == opCall || in.op == opCallIndirect:
		s.leaves = true
	default:
		n, fixed := s.bulkCost(in, s.last)
		s.facts.cost += n
		s.bulk = s.bulk || !fixed
	}
	if s.plain >= 0 {
		s.plain++
	}
	switch in.op {
	case opIf, opElse, opEnd, opBr, opBrIf, opBrTable, opReturn, opUnreachable, opCall, opCallIndirect:
		s.plain = -1
	}
	if s.bulk || s.plain > atOnce {
		s.plain = -1
	}
}

func (s *scan) open(in *instr) {
	if in.op == opLoop && s.live && s.plain >= 0 && s.early < 0 {
		s.early = len(s.blocks)
		s.plain = -1
	}
	s.stack = append(s.stack, scanFrame{op: in.op, block: len(s.blocks), entered: s.live})
	s.blocks = append(s.blocks, blockFacts{})
}

func (s *scan) otherwise() {
	top := &s.stack[len(s.stack)-1]
	if top.op != opIf || s.blocks[top.block].hasElse {
		s.r.malformed("else without an if")
		return
	}
	s.blocks[top.block].hasElse = true
	top.thenLive = s.live
	s.live = top.entered
}

func (s *scan) close() {
	top := s.stack[len(s.stack)-1]
	s.stack = s.stack[:len(s.stack)-1]
	if top.block < 0 || !top.entered {
		return
	}
	facts := s.blocks[top.block]
	s.loops = s.loops || top.op == opLoop && facts.targeted
	switch {
	case top.op == opLoop:
	case facts.targeted, top.op == opIf && !facts.hasElse:
		s.live = true
	case top.op == opIf:
		s.live = s.live || top.thenLive
	}
}

func (s *scan) branch(label uint32) {
	if int64(label) >= int64(len(s.stack)) {
		s.r.malformed("label %d does not exist, there are %d", label, len(s.stack))
		return
	}
	target := s.stack[len(s.stack)-1-int(label)]
	if s.live && target.block >= 0 {
		s.blocks[target.block].targeted = true
	}
}
