package meter

import "math"

// Charging is late: what was executed is owed until paths part or join. Where it is certain
// what comes next it is charged ahead instead, since a charge that is not made costs nothing:
//
//	caller                                callee
//	 charge: its own cost until its last  starts with all of its cheapest path paid,
//	 call in a row, and the callee's      which therefore charges nothing
//	 cheapest path
//	 call a, straight code, call b        (b is charged with a)
//	 join, straight code, return          (charged by each way into the join)
//
// INVARIANT: what is charged ahead is executed before the function is left, unless it traps:
// the counter never shows more than what a call that returns will have used, so that a
// budget of exactly that passes.

const none = math.MaxInt64

// aheadBound is the most that is charged ahead at a time: what is granted for it is not
// asked for again, so that it lengthens the stretch between two looks at the deadline.
const aheadBound = 1000

// stretch is the straight code behind a call, up to the next one.
type stretch struct {
	cost   int64 // the next call included; 0 if another instruction than a call ends it
	callee int   // of the next call, numbered from 0; -1 if that is not known
}

// way is the cost of the cheapest path from the entry to a point of the function that calls
// nothing: of any such path, and of one that also passes no loop. none where there is no such path.
type way struct{ any, leaf int64 }

var noWay = way{none, none}

func (a way) or(b way) way { return way{min(a.any, b.any), min(a.leaf, b.leaf)} }

func (a way) plus(n int64) way {
	if a.any != none {
		a.any += n
	}
	if a.leaf != none {
		a.leaf += n
	}
	return a
}

// foresight is what the first pass gathers about what is certain to come.
type foresight struct {
	stretches []stretch // behind each live call
	open      bool      // the last of them has not ended yet
	cost      int64     // of what is open
	tails     []tail    // the joins since which code was straight
	here      way
	exits     way   // to where the function is left
	called    int64 // the cheapest way to a call or to an operation of any length
}

// tail is the straight code behind the join at a block's end.
type tail struct {
	block int
	cost  int64
}

// prepaid is what a caller pays of the function: its cheapest path, if that is one that would
// otherwise pay at its end, and if each other path costs as much before it can ask the host.
func (f *foresight) prepaid() int64 {
	if f.exits.leaf > min(f.called, aheadBound) {
		return 0
	}
	return f.exits.any
}

// foresee goes along with the first pass, for a live instruction.
func (s *scan) foresee(in *instr) {
	f := &s.foresight
	n, fixed := s.bulkCost(in, s.last)
	f.pass(n + s.module.cost(in))
	switch {
	case in.op == opCall:
		f.call(in.a, s.importedFunctions)
	case in.op == opCallIndirect:
		f.call(0, math.MaxInt)
	case !fixed:
		f.called = min(f.called, f.here.any)
		f.here = noWay
		f.bend()
	case in.op == opReturn:
		s.exit()
	case in.op == opBr, in.op == opBrIf, in.op == opBrTable, in.op == opIf, in.op == opElse, in.op == opUnreachable:
		f.bend()
	case in.op == opLoop:
		f.bend()
		f.here.leaf = none
	}
}

// pass adds an instruction's cost to all that is looked at.
func (f *foresight) pass(n int64) {
	f.cost += n
	for i := range f.tails {
		f.tails[i].cost += n
	}
	f.here = f.here.plus(n)
}

func (f *foresight) call(function uint32, imported int) {
	callee := -1
	if int(function) >= imported {
		callee = int(function) - imported
	}
	if f.open {
		f.stretches[len(f.stretches)-1] = stretch{f.cost, callee}
	}
	f.stretches = append(f.stretches, stretch{callee: -1})
	f.open, f.cost, f.tails = true, 0, f.tails[:0]
	f.called = min(f.called, f.here.any)
	f.here = noWay
}

// bend ends what must be straight.
func (f *foresight) bend() { f.open, f.tails = false, f.tails[:0] }

// join is at the end of a block to which several paths lead.
func (f *foresight) join(block int) {
	f.open = false
	if len(f.tails) < maxTails {
		f.tails = append(f.tails, tail{block: block})
	}
}

// maxTails bounds the joins that are followed at a time: without it, a thousand ends in a
// row would cost a thousand steps for each instruction after them.
const maxTails = 16

// exit is a return, or the end of the function.
func (s *scan) exit() {
	for _, t := range s.tails {
		if !s.blocks[t.block].tabled && t.cost <= aheadBound {
			s.blocks[t.block].tail = t.cost
		}
	}
	s.exits = s.exits.or(s.here)
	s.bend()
}
