package meter

const (
	// gapBound is the most fuel that any path may use between two checks: 2 to 20
	// microseconds.
	gapBound = 20_000
	// gapAfterReturn is how much of it a function may use after a call of which it is
	// not known how long ago it checked. A chain of returning frames, as long as the
	// depth bound allows, runs this much in each without a check.
	gapAfterReturn = 400
)

// bound puts a check in front of work that would make the stretch since the last one
// too long. The gap is the maximum over all paths, so it may check early, never late;
// since each loop checks at its head, one pass forward sees all paths.
func (w *walk) bound(cost int64) {
	if w.gap+cost <= gapBound || w.options.withoutGaps {
		return
	}
	w.flush(flushing{depth: w.charged})
	w.refillIfNegative()
	w.gap = 0
}

// headBound is the most that a loop may do before the call which checks in its place.
const headBound = 100

// checksItself says of a loop that each of its turns begins with a call of a function that
// checks at its entry, so that the loop need not.
func (w *walk) checksItself(f *blockFacts) bool {
	return f.calls && f.prefix <= headBound && w.graph.checked(f.callee)
}

// boundTurn puts a check in front of a branch to a loop that does not check, or of its
// beginning, if what it does before its call would make the stretch too long.
// REQUIRES: all is flushed.
func (w *walk) boundTurn(prefix int64) {
	if w.gap+prefix > gapBound && !w.options.withoutGaps {
		w.refillIfNegative()
		w.gap = 0
	}
}

// afterCall sets the gap to what it is when the call returns.
func (w *walk) afterCall(in *instr) {
	callee := int(in.a) - w.importedFunctions
	switch {
	case in.op == opCallIndirect:
		w.gap = max(w.gap, gapBound-gapAfterReturn) + treeBound
	case callee < 0:
		w.gap = max(w.gap, gapBound-gapAfterReturn)
	case w.graph.free(callee):
		w.gap += w.graph.tree[callee]
	default:
		w.gap = w.exits[callee]
	}
}

// exitGapOf is what the callers of a function have to reckon with: for one in a cycle
// it is not known before all of the cycle is.
func (w *walk) exitGapOf(f int) int64 {
	if w.graph.cycle[f] {
		return gapBound - gapAfterReturn
	}
	return w.exitGap
}
