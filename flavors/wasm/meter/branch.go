package meter

// Branches, and what must be settled where the paths that they make part and join.

// target returns the frame that a label of the body names; scan has checked it.
func (w *walk) target(label uint32) *frame { return &w.stack[len(w.stack)-1-int(label)] }

// relabel returns the number that a label of the body has in the output.
func (w *walk) relabel(label uint32) uint32 { return uint32(w.level - w.target(label).level) }

// reach notes that a live branch with everything settled leads to the label.
func (w *walk) reach(label uint32) {
	target := w.target(label)
	switch {
	case target.op != opLoop:
		target.arrive(w.state)
	case !target.wrapped:
		w.boundTurn(target.facts.prefix)
	}
	if w.isFunction(label) {
		w.exitGap = max(w.exitGap, w.gap)
	}
}

func (w *walk) isFunction(label uint32) bool { return int(label) == len(w.stack)-1 }

// settleAt flushes before a path meets others at a frame's label. What follows a block to
// the function's end is charged ahead there, so that a path which owes as much charges nothing.
func (w *walk) settleAt(target *frame) {
	if target.op == opLoop {
		w.settle()
		return
	}
	w.flush(flushing{ahead: w.tail(target), sync: target.facts.tail > 0 || target == &w.stack[0]})
}

func (w *walk) tail(target *frame) int64 {
	if w.options.withoutAhead {
		return 0
	}
	return target.facts.tail
}

func (w *walk) jump(label uint32) {
	w.settleAt(w.target(label))
	w.reach(label)
	w.out.u32(byte(opBr), w.relabel(label))
	w.live = false
}

// branchIf writes a conditional branch without values as an if around a branch: only
// the path that is taken pays, and the engine of today (wazero 1.12) fuses the comparison
// with an if but not with a br_if, which alone makes loops up to a quarter faster.
func (w *walk) branchIf(label uint32) {
	if w.target(label).arity > 0 {
		w.settleAt(w.target(label))
		w.reach(label)
		w.out.u32(byte(opBrIf), w.relabel(label))
		return
	}
	before := w.state
	w.out.op(byte(opIf), blockEmpty)
	w.level++
	w.settleAt(w.target(label))
	w.reach(label)
	w.out.u32(byte(opBr), w.relabel(label))
	w.out.op(byte(opEnd))
	w.level--
	w.state = before
}

func (w *walk) table(in *instr) {
	sync := w.isFunction(in.a)
	for _, label := range in.many {
		sync = sync || w.isFunction(label)
	}
	w.flush(flushing{sync: sync})
	for i, label := range in.many {
		w.reach(label)
		in.many[i] = w.relabel(label)
	}
	w.reach(in.a)
	in.a = w.relabel(in.a)
	w.emit(in)
	w.live = false
}
