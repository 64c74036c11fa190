package meter

// ask is the mask of an entry check: fuel below zero or depth at guard.
const ask = -1<<63 | guard

// flushing is how far a flush goes.
type flushing struct {
	depth int64 // charged for this frame afterwards
	ahead int64 // fuel charged that is not used yet, afterwards
	sync  bool  // the exported global is up to date too, as it must be whenever other code runs
}

// flush brings the counter up to date.
func (w *walk) flush(to flushing) {
	delta := (w.pend+to.ahead)<<depthBits - (to.depth - w.charged)
	if w.options.withoutDepth {
		delta = (w.pend + to.ahead) << depthBits
	}
	w.pend, w.charged = -to.ahead, to.depth
	switch {
	case !w.inward && delta != 0:
		w.out.u32(byte(opGlobalGet), w.counter)
		w.subtract(delta)
		w.out.u32(byte(opGlobalSet), w.counter)
	case w.inward && to.sync && (delta != 0 || w.dirty):
		w.out.u32(byte(opLocalGet), w.local)
		if delta != 0 {
			w.subtract(delta)
			w.out.u32(byte(opLocalTee), w.local)
		}
		w.out.u32(byte(opGlobalSet), w.counter)
		w.dirty = false
	case w.inward && !to.sync && delta != 0:
		w.out.u32(byte(opLocalGet), w.local)
		w.subtract(delta)
		w.out.u32(byte(opLocalSet), w.local)
		w.dirty = true
	}
}

func (w *walk) subtract(delta int64) {
	w.out.i64(delta)
	w.out.op(i64Sub)
}

// settle flushes with nothing left owed: the state in which paths join.
func (w *walk) settle() { w.flush(flushing{}) }

// reload fetches the counter after other code ran.
func (w *walk) reload() {
	if w.inward {
		w.out.u32(byte(opGlobalGet), w.counter)
		w.out.u32(byte(opLocalSet), w.local)
		w.dirty = false
	}
}

func (w *walk) readCounter() {
	if w.inward {
		w.out.u32(byte(opLocalGet), w.local)
	} else {
		w.out.u32(byte(opGlobalGet), w.counter)
	}
}

func (w *walk) writeCounter() {
	if w.inward {
		w.out.u32(byte(opLocalSet), w.local)
	} else {
		w.out.u32(byte(opGlobalSet), w.counter)
	}
}

func (w *walk) counterIsNegative() {
	w.readCounter()
	w.out.i64(0)
	w.out.op(i64LessSigned)
}

// refillIfNegative is the check in its plain form. It works on any operand stack. The host adds
// what it grants to the global as well as to what it returns (doc.go), so that a local which
// was equal to it stays so.
func (w *walk) refillIfNegative() {
	w.counterIsNegative()
	w.out.op(byte(opIf), blockEmpty)
	w.readCounter()
	w.out.u32(byte(opCall), w.refill())
	w.writeCounter()
	w.out.op(byte(opEnd))
	w.checks++
}

// loopCheck opens a loop within a loop. The inner one tests on each iteration and, at
// the end of its fuel, goes back to the outer one, which asks the host: a call within
// the inner loop, however rarely made, would cost its values their registers. Nothing
// is charged before the test, since a test that failed is made again.
func (w *walk) loopCheck(in *instr) {
	w.emit(in)
	w.refillIfNegative()
	w.emit(in)
	w.level += 2
	w.counterIsNegative()
	if in.block.params > 0 {
		w.out.u32(byte(opBrIf), 1)
	} else {
		w.out.op(byte(opIf), blockEmpty)
		w.out.u32(byte(opBr), 2)
		w.out.op(byte(opEnd))
	}
	w.gap = 0
}

// entryCheck starts a function: with no fuel or too deep, its thunk asks the host and
// then calls the function again. The thunk's call is the last thing done here, so that
// nothing has to be kept across it.
func (w *walk) entryCheck() {
	w.out.u32(byte(opGlobalGet), w.counter)
	if w.inward {
		w.out.u32(byte(opLocalTee), w.local)
	}
	if w.options.withoutDepth {
		w.out.i64(0)
		w.out.op(i64LessSigned)
	} else {
		w.out.i64(ask)
		w.out.op(i64And)
		w.out.i64(0)
		w.out.op(i64NotEqual)
	}
	w.out.op(byte(opIf), blockEmpty)
	for i := range w.facts.params {
		w.out.u32(byte(opLocalGet), uint32(i))
	}
	w.out.u32(byte(opCall), w.thunk(w.self))
	w.out.op(byte(opReturn), byte(opEnd))
	w.checks++
}
