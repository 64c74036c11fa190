package meter

// walk is the second pass over one body: it writes the instructions again, with their
// cost charged to the counter and checks put in.
//
// Accounting is late and exact. pend is known while walking: the cost of the
// instructions since the counter was last brought up to date (flush). It is carried
// along straight code and flushed where paths part or join, so that each path pays for
// what it executes and nothing else.
type walk struct {
	*rewriter
	self   int // the function, numbered without imports
	facts  *facts
	r      reader
	out    code
	local  uint32 // index of the local that holds the counter, if inLocal
	inward bool   // the counter lives in a local between calls
	stack  []frame
	opened int     // blocks opened so far: the index into facts.blocks
	called int     // live calls so far: the index into ahead
	ahead  []int64 // of each live call, what is certain to follow it up to the last call in a row
	level  int     // nesting of the output; label n of a frame is level-frame.level
	live   bool
	last   constant
	state
	exitGap int64 // longest unchecked stretch with which the function is left
	in      instr
}

// state is what is owed at a point of the code.
type state struct {
	pend    int64 // fuel used and not yet charged; negative: charged and not yet used
	charged int64 // depth added for calls and not yet taken back
	gap     int64 // most fuel used on any path since the last check
	dirty   bool  // the local may differ from the global; unused if the counter is not inward
}

// frame is an open block of the body.
type frame struct {
	op      opcode
	facts   blockFacts
	level   int // of the output, at its label
	arity   int // values a branch to it carries
	entered bool
	wrapped bool // a loop within the outer loop that refills
	saved   state
	arrived bool // a live path reached the end
	joined  state
}

func (w *walk) body() {
	w.start()
	for w.r.ok() && len(w.stack) > 0 {
		w.next(&w.r, &w.in)
		w.step(&w.in)
	}
}

// start writes the locals, the entry check and the first load of the counter.
func (w *walk) start() {
	w.inward = w.facts.loops && w.facts.locals < maxLocals
	w.local = uint32(w.facts.locals)
	w.copyLocals()
	if w.graph.checked(w.self) {
		w.entryCheck()
	} else {
		w.reload()
	}
	t := w.module.types[w.functions[w.importedFunctions+w.self]]
	w.stack = append(w.stack, frame{arity: len(t.results), entered: true})
	w.live = true
	w.pend = -w.prepaid[w.self]
	w.lookAhead()
}

// lookAhead adds up what follows each call of a row.
func (w *walk) lookAhead() {
	w.ahead = make([]int64, len(w.facts.stretches))
	if w.options.withoutAhead {
		return
	}
	for k := len(w.ahead) - 2; k >= 0; k-- {
		next := w.facts.stretches[k]
		if next.cost == 0 {
			continue
		}
		w.ahead[k] = next.cost + w.ahead[k+1]
		if next.callee >= 0 {
			w.ahead[k] += w.prepaid[next.callee]
		}
		if w.ahead[k] > aheadBound {
			w.ahead[k] = 0
		}
	}
}

// copyLocals copies the declarations of locals, one group for the counter added.
func (w *walk) copyLocals() {
	n := w.r.count("groups of locals")
	groups := w.r.src[w.r.at:w.facts.localsEnd]
	if w.inward {
		w.out = appendUnsigned(w.out, uint32(n)+1)
		w.out = append(append(w.out, groups...), 1, typeI64)
	} else {
		w.out = append(appendUnsigned(w.out, uint32(n)), groups...)
	}
	w.r.at = w.facts.localsEnd
}

func (w *walk) step(in *instr) {
	if !w.live {
		w.dead(in)
		w.last.note(in)
		return
	}
	switch in.op {
	case opBlock, opLoop, opIf:
		w.charge(in)
		w.open(in)
	case opElse:
		w.otherwise()
	case opEnd:
		w.end()
	case opBr:
		w.charge(in)
		w.jump(in.a)
	case opBrIf:
		w.charge(in)
		w.branchIf(in.a)
	case opBrTable:
		w.charge(in)
		w.table(in)
	case opReturn:
		w.charge(in)
		w.leave()
		w.emit(in)
		w.live = false
	case opUnreachable:
		w.emit(in)
		w.live = false
	case opCall, opCallIndirect:
		w.call(in)
	case opRefFunc:
		w.charge(in)
		in.a = w.shift(in.a)
		w.emit(in)
	default:
		w.plain(in)
	}
	w.last.note(in)
}

func (w *walk) emit(in *instr) { w.out = in.appendTo(w.out) }

// charge adds the instruction's cost to what is owed, after a check if the stretch
// since the last one would grow too long.
func (w *walk) charge(in *instr) { w.spend(w.module.cost(in)) }

func (w *walk) spend(cost int64) {
	w.bound(cost)
	w.pend += cost
	w.gap += cost
}

func (w *walk) plain(in *instr) {
	extra, fixed := w.bulkCost(in, w.last)
	w.spend(w.module.cost(in) + extra)
	if fixed {
		w.emit(in)
		return
	}
	w.flush(flushing{depth: w.charged, sync: true})
	w.out.u32(byte(opCall), w.bulk.function(in))
	w.reload()
	w.gap = 0
}

// open enters a block. A loop that live code branches back to gets its checks; any
// other is a block in all but name.
func (w *walk) open(in *instr) {
	f := frame{op: in.op, facts: w.facts.blocks[w.opened], entered: true, arity: in.block.results}
	w.opened++
	switch {
	case in.op == opLoop:
		f.arity = in.block.params
		f.wrapped = f.facts.targeted && !w.checksItself(&f.facts)
	case in.op == opIf && !f.facts.hasElse:
		w.settleAt(&f)
		f.arrive(w.state)
	}
	switch {
	case f.wrapped:
		w.settle()
		w.loopCheck(in)
		w.dirty = true
	case in.op == opLoop && f.facts.targeted:
		w.settle()
		w.boundTurn(f.facts.prefix)
		w.emit(in)
		w.level++
		w.gap, w.dirty = gapBound-f.facts.prefix, true
	default:
		w.emit(in)
		w.level++
	}
	f.level, f.saved = w.level, w.state
	w.stack = append(w.stack, f)
}

// otherwise goes from the then arm to the else arm, which owes what was owed at the if.
func (w *walk) otherwise() {
	top := &w.stack[len(w.stack)-1]
	if w.live {
		w.settleAt(top)
		top.arrive(w.state)
	}
	w.out.op(byte(opElse))
	w.state, w.live = top.saved, true
}

// end closes a block. Where paths join, all of them have settled; where there is only
// one way to the end, what is owed is carried through.
func (w *walk) end() {
	top := &w.stack[len(w.stack)-1]
	if len(w.stack) == 1 {
		w.finish()
		return
	}
	joins := top.op != opLoop && top.facts.targeted || top.op == opIf
	if joins && w.live {
		w.settleAt(top)
		top.arrive(w.state)
	}
	w.closeFrame(top)
	if joins {
		w.live = top.arrived
		w.state = top.joined // its pend is what was charged ahead
	}
}

func (w *walk) closeFrame(top *frame) {
	w.out.op(byte(opEnd))
	w.level--
	if top.wrapped {
		w.out.op(byte(opEnd))
		w.level--
	}
	w.stack = w.stack[:len(w.stack)-1]
}

func (w *walk) finish() {
	if w.live {
		w.leave()
	}
	w.out.op(byte(opEnd))
	w.stack = w.stack[:0]
}

// arrive joins a path, on which all is settled, with those that came before.
func (f *frame) arrive(s state) {
	f.arrived = true
	f.joined.pend = s.pend // the same on each path
	f.joined.gap = max(f.joined.gap, s.gap)
	f.joined.dirty = f.joined.dirty || s.dirty
}

// leave settles everything before the function returns.
func (w *walk) leave() {
	w.flush(flushing{sync: true})
	w.exitGap = max(w.exitGap, w.gap)
}

// call charges for the frame along with the fuel, and takes the frame back with the
// next flush. What callers pay of the callee, and what is certain to follow up to the last of
// several calls in a row, is charged with it.
func (w *walk) call(in *instr) {
	w.charge(in)
	if callee := int(in.a) - w.importedFunctions; in.op == opCall && callee >= 0 {
		w.pend += w.prepaid[callee]
	}
	w.flush(flushing{depth: w.facts.weight, ahead: w.ahead[w.called], sync: true})
	w.called++
	w.afterCall(in)
	if in.op == opCall {
		in.a = w.shift(in.a)
	}
	w.emit(in)
	w.reload()
}

// dead copies an instruction that cannot be reached. It is charged nothing; labels and
// functions are renumbered.
func (w *walk) dead(in *instr) {
	switch in.op {
	case opBlock, opLoop, opIf:
		w.level++
		w.stack = append(w.stack, frame{op: in.op, facts: w.facts.blocks[w.opened], level: w.level})
		w.opened++
	case opElse:
		if w.stack[len(w.stack)-1].entered {
			w.otherwise()
			return
		}
	case opEnd:
		w.deadEnd()
		return
	case opBr, opBrIf:
		in.a = w.relabel(in.a)
	case opBrTable:
		for i, label := range in.many {
			in.many[i] = w.relabel(label)
		}
		in.a = w.relabel(in.a)
	case opCall, opRefFunc:
		in.a = w.shift(in.a)
	}
	w.emit(in)
}

func (w *walk) deadEnd() {
	if top := &w.stack[len(w.stack)-1]; top.entered {
		w.end()
		return
	}
	w.closeFrame(&w.stack[len(w.stack)-1])
}
