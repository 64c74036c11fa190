package meter

// Bulk operations do work that depends on an operand. Each is moved into an appended
// function (one per operation and segment or table) that charges by length, checks, and
// then works in pieces with a look at the deadline before each. What is out of bounds
// traps as it would have, before anything is written.

const (
	// pieceBytes and pieceElements bound what is done between two looks at the deadline.
	pieceBytes    = 1 << 20
	pieceElements = 1 << 16
	// A length that is a constant up to these is charged where it stands.
	smallBytes    = 4096
	smallElements = 256
)

// constant is the value of the i32.const just before, if there was one.
type constant struct {
	value int64
	known bool
}

func (c *constant) note(in *instr) {
	c.value, c.known = in.value, in.op == opI32Const
}

// upTo returns the constant shifted right and true, if there is one within the bound.
func (c constant) upTo(bound int64, shift int) (int64, bool) {
	if !c.known || c.value < 0 || c.value > bound {
		return 0, false
	}
	return c.value >> shift, true
}

// bulkCost returns what the operation's length costs, and whether that is known while
// rewriting. For any other instruction it is 0 and true.
func (m *module) bulkCost(in *instr, last constant) (int64, bool) {
	switch in.op {
	case opMemoryInit, opMemoryCopy, opMemoryFill:
		return last.upTo(smallBytes, bytesPerUnitLog2)
	case opTableInit, opTableCopy, opTableFill:
		return last.upTo(smallElements, 0)
	case opMemoryGrow, opTableGrow:
		return 0, false
	}
	return 0, true
}

// bulk holds the functions that stand in for bulk operations.
type bulk struct {
	*rewriter
	index map[bulkKey]uint32
}

type bulkKey struct {
	op   opcode
	a, b uint32
}

// function returns the index of the function that stands in for the operation, writing
// it on its first use.
func (b *bulk) function(in *instr) uint32 {
	key := bulkKey{in.op, in.a, in.b}
	switch in.op {
	case opMemoryCopy, opMemoryFill, opMemoryGrow:
		key = bulkKey{op: in.op}
	case opMemoryInit, opTableFill, opTableGrow:
		key.b = 0
	}
	index, ok := b.index[key]
	if !ok {
		index = b.write(key, in)
		b.index[key] = index
	}
	return index
}

func (b *bulk) write(key bulkKey, in *instr) uint32 {
	three := []byte{typeI32, typeI32, typeI32}
	one := []byte{typeI32}
	switch key.op {
	case opMemoryGrow:
		return b.add(functionType{one, one}, "memory.grow", b.grow(in, 0, true))
	case opTableGrow:
		params := []byte{b.tables[key.a], typeI32}
		return b.add(functionType{params, one}, "table.grow", b.grow(in, 1, false))
	case opTableFill:
		params := []byte{typeI32, b.tables[key.a], typeI32}
		return b.add(functionType{params: params}, "table.fill", b.moved(in))
	case opMemoryFill:
		return b.add(functionType{params: three}, "memory.fill", b.moved(in))
	case opMemoryCopy:
		return b.add(functionType{params: three}, "memory.copy", b.moved(in))
	case opMemoryInit:
		return b.add(functionType{params: three}, "memory.init", b.moved(in))
	case opTableCopy:
		return b.add(functionType{params: three}, "table.copy", b.moved(in))
	}
	return b.add(functionType{params: three}, "table.init", b.moved(in))
}

// grow charges for the pages or elements asked for, then grows.
func (b *bulk) grow(in *instr, length uint32, pages bool) code {
	p := piece{bulk: b, code: code{0}} // no locals
	p.op(byte(opGlobalGet))
	p.code = appendUnsigned(p.code, b.counter)
	p.u32(byte(opLocalGet), length)
	if pages { // more than 65,536 fail at once and are charged as that many
		p.i32(1 << 16)
		p.u32(byte(opLocalGet), length)
		p.i32(1 << 16)
		p.op(i32LessUnsigned, byte(opSelect))
	}
	p.op(i64ExtendUnsigned)
	if pages {
		p.i64(costGrownPage << depthBits)
	} else {
		p.i64(1 << depthBits)
	}
	p.op(i64Mul, i64Sub)
	p.u32(byte(opGlobalSet), b.counter)
	p.refillIfNegative()
	for i := range length + 1 {
		p.u32(byte(opLocalGet), i)
	}
	p.code = in.appendTo(p.code)
	p.op(byte(opEnd))
	return p.code
}
