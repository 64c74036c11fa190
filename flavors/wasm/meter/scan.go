package meter

import "fmt"

// facts is what the first pass learns about a function.
type facts struct {
	blocks    []blockFacts // in the order in which blocks open
	calls     []int        // defined functions it calls, once per call, numbered from 0
	cost      int64        // of all its live instructions, each taken once
	weight    int64        // of its frame, in the depth counter
	branches  int64        // that compiling it has to do with (effort.go)
	labels    int64        // of all its br_tables
	params    int
	locals    int  // parameters included
	localsEnd int  // offset of the first instruction
	leaves    bool // calls the host, or through a table: no telling what runs
	loops     bool // has a loop that live code branches back to
	bulk      bool // has operations whose work depends on an operand
	foresight
	loopsAtOnce bool // such a loop is reached within a few plain instructions
}

// blockFacts is what is known of a block before its second reading.
type blockFacts struct {
	targeted bool // a live branch leads to its label
	hasElse  bool
	// Of a loop whose every turn begins with a call that nothing can pass by: the function
	// called, numbered from 0, and the cost from the loop's head up to it.
	calls  bool
	callee int
	prefix int64
	tail   int64 // cost of the straight code from its end to the function's; 0 if it is not straight
	tabled bool  // a br_table leads to its label
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
	head    int // the loop at whose head straight code began; -1 if it is left
	prefix  int64
	written instr
	last    constant
}

// scanFrame is an open block. Entered dead, it stays dead to its end.
type scanFrame struct {
	op       opcode
	block    int // index into blocks; -1 for the function itself
	entered  bool
	thenLive bool // the then arm of an if fell through to its else
	saved    way  // where the block began
	joined   way  // of the branches to its end
}

func (m *module) scanBody(f int) (facts, *Refusal) {
	body := m.bodies[f]
	s := scan{
		module: m, live: true, early: -1, head: -1,
		r: reader{src: m.src, at: body.from, end: body.to, place: m.placeOf(f)},
	}
	s.params = len(m.types[m.functions[m.importedFunctions+f]].params)
	s.readLocals()
	s.weight = min(1+s.weight/slotsPerFrame+int64(body.to-body.from)/bytesPerFrame, maxFrame)
	s.stack = append(s.stack, scanFrame{block: -1, entered: true})
	s.foresight = foresight{exits: noWay, called: none}
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
	if in.op == opBrTable {
		s.labels += int64(len(in.many))
	}
	if s.live {
		s.count(in)
		s.follow(in)
		s.foresee(in)
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
			s.branchTable(label)
		}
		s.branchTable(in.a)
		s.live = false
	case opReturn, opUnreachable:
		s.live = false
	case opRefFunc:
		s.escape(in.a)
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

// follow goes along the straight code at the head of a loop, to the call that each of its
// turns begins with.
func (s *scan) follow(in *instr) {
	if s.head < 0 {
		return
	}
	s.prefix += s.module.cost(in)
	n, fixed := s.bulkCost(in, s.last)
	s.prefix += n
	switch in.op {
	case opCall:
		if callee := int(in.a) - s.importedFunctions; callee >= 0 {
			head := &s.blocks[s.head]
			head.calls, head.callee, head.prefix = true, callee, s.prefix
			s.head = -1
		}
	case opLoop, opIf, opElse, opEnd, opBr, opBrIf, opBrTable, opReturn, opUnreachable, opCallIndirect:
		s.head = -1
	}
	if !fixed {
		s.head = -1
	}
}

func (s *scan) open(in *instr) {
	if in.op == opLoop && s.live && s.plain >= 0 && s.early < 0 {
		s.early = len(s.blocks)
		s.plain = -1
	}
	if in.op == opLoop && s.live {
		s.head, s.prefix = len(s.blocks), 0
	}
	s.stack = append(s.stack, scanFrame{op: in.op, block: len(s.blocks), entered: s.live, saved: s.here, joined: noWay})
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
	if s.live {
		top.joined = top.joined.or(s.here)
	}
	s.live, s.here = top.entered, top.saved
}

func (s *scan) close() {
	top := s.stack[len(s.stack)-1]
	s.stack = s.stack[:len(s.stack)-1]
	if top.block < 0 && s.live {
		s.exit()
	}
	if top.block < 0 || !top.entered {
		return
	}
	facts := s.blocks[top.block]
	s.loops = s.loops || top.op == opLoop && facts.targeted
	if top.op == opLoop || top.op == opBlock && !facts.targeted {
		return
	}
	s.here = s.joinedWay(&top, facts.hasElse)
	switch {
	case facts.targeted, !facts.hasElse:
		s.live = true
	default:
		s.live = s.live || top.thenLive
	}
	if s.live {
		s.join(top.block)
	}
}

// joinedWay is the cheapest way to the end of a block.
func (s *scan) joinedWay(top *scanFrame, hasElse bool) way {
	joined := top.joined
	if s.live {
		joined = joined.or(s.here)
	}
	if top.op == opIf && !hasElse {
		joined = joined.or(top.saved)
	}
	return joined
}

// branchTable is branch for a label of a br_table, whose paths are all charged alike.
func (s *scan) branchTable(label uint32) {
	s.branch(label)
	if int64(label) < int64(len(s.stack)) {
		if target := s.stack[len(s.stack)-1-int(label)]; target.block >= 0 {
			s.blocks[target.block].tabled = true
		}
	}
}

func (s *scan) branch(label uint32) {
	if int64(label) >= int64(len(s.stack)) {
		s.r.malformed("label %d does not exist, there are %d", label, len(s.stack))
		return
	}
	target := &s.stack[len(s.stack)-1-int(label)]
	switch {
	case !s.live:
	case target.block < 0:
		s.exits = s.exits.or(s.here)
	default:
		s.blocks[target.block].targeted = true
		target.joined = target.joined.or(s.here)
	}
}
