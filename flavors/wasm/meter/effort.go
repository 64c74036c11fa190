package meter

// The engine's compiler cannot be interrupted while it works on a function, and what it takes
// grows with the square of the function's branches (it walks the tree of dominators for
// each, and for each label of a br_table) and with branches times locals (each may need a value at each join): 30 KB of
// empty loops take it minutes. So the work is estimated beforehand, and a module that would
// take more than a bound is refused, on every machine alike.

// Bounds on the estimates of one function and of all: about 10 seconds, and two minutes. The
// largest function of an ordinary module stays below a hundredth of it; the sum is
// 150,000,000 for 3 MB of Go.
const (
	functionEffort = 400_000_000
	moduleEffort   = 10 * functionEffort
)

// Branches that the rewritten form of an instruction has, and what a local costs at each.
const (
	branchesOfBlock = 1
	branchesOfLoop  = 8
	branchesOfIf    = 3
	branchesOfBrIf  = 3
	localEffort     = 25
	labelShare      = 16 // of a branch's step, for each pair of labels of br_tables: each has a block
)

// branches is how many branches and joins the engine sees for an instruction.
func (in *instr) branches() int64 {
	switch in.op {
	case opBlock, opBr, opReturn:
		return branchesOfBlock
	case opLoop:
		return branchesOfLoop
	case opIf:
		return branchesOfIf
	case opBrIf:
		return branchesOfBrIf
	case opBrTable:
		return branchesOfBlock
	}
	return 0
}

// effort estimates what compiling the function takes, in steps of 10 to 25 ns.
func (f *facts) effort() int64 {
	if f.branches > functionEffort {
		return f.branches // the square might overflow
	}
	if f.labels > functionEffort {
		return f.labels
	}
	return f.branches*(f.branches+f.labels+localEffort*int64(f.locals)) + f.labels*f.labels/labelShare
}

func (m *module) tooComplex(f int, facts *facts) *Refusal {
	r := reader{at: m.bodies[f].from, place: m.placeOf(f)}
	r.unsupported("", "up to here the module would take too long to compile: this function alone has %d branches and joins, and %d locals",
		facts.branches, facts.locals)
	return r.err
}
