package meter

import "strconv"

// A host that brings an instance back to an earlier state needs all of that state at hand.
// Memory is exported by whoever wants it; mutable globals are exported by the rewriter, as
// GlobalExport and a number from 0, if nothing else can change while code runs: no table
// and no segment. ResettableExport (a second name of the counter) says that this is so.
const (
	GlobalExport     = ImportModule + ".global."
	ResettableExport = ImportModule + ".resettable"
)

// changes is what of an instance can change, memory aside.
type changes struct {
	mutable []uint32 // indices of numeric globals
	hidden  bool     // something changes that a host cannot set: a table, a segment, another global
}

func (c *changes) noteGlobal(index uint32, valueType, mutable byte) {
	switch {
	case mutable == 0:
	case valueType == typeI32, valueType == typeI64, valueType == typeF32, valueType == typeF64:
		c.mutable = append(c.mutable, index)
	default:
		c.hidden = true
	}
}

func (c *changes) noteInstruction(op opcode) {
	switch op {
	case opTableSet, opTableInit, opTableCopy, opTableGrow, opTableFill, opElemDrop, opDataDrop:
		c.hidden = true
	}
}

// addStateExports exports what a host needs to bring the module's state back.
func (w *rewriter) addStateExports() {
	if w.changes.hidden {
		return
	}
	w.exports.add(encoded(ResettableExport, exportGlobal, w.counter)...)
	for n, global := range w.changes.mutable {
		w.exports.add(encoded(GlobalExport+strconv.Itoa(n), exportGlobal, global)...)
	}
}
