package meter

// Opcodes that appended code uses and that need no further attention in the guest's.
const (
	i32LessUnsigned    = 0x49
	i32GreaterUnsigned = 0x4b
	i64NotEqual        = 0x52
	i64LessSigned      = 0x53
	i64GreaterUnsigned = 0x56
	i32Add             = 0x6a
	i32Sub             = 0x6b
	i32Or              = 0x72
	i64Add             = 0x7c
	i64Sub             = 0x7d
	i64Mul             = 0x7e
	i64And             = 0x83
	i64ShiftLeft       = 0x86
	i64ExtendUnsigned  = 0xad
)

// piece writes the body of a function that does a bulk operation in pieces. Its
// parameters are those of the operation: where to, where from or what, how many.
type piece struct {
	*bulk
	code
	in     *instr
	length int32 // of one piece
}

const (
	to, from, howMany = 0, 1, 2
)

// moved writes the body for fill, copy and init, of memory and of tables.
func (b *bulk) moved(in *instr) code {
	p := &piece{bulk: b, code: code{0}, in: in, length: pieceElements}
	if p.ofMemory() {
		p.length = pieceBytes
	}
	p.whenLong(p.trapOutOfBounds)
	p.chargeLength()
	p.refillIfNegative()
	p.whenLong(p.pieces)
	p.work(nil)
	p.op(byte(opEnd))
	return p.code
}

func (p *piece) ofMemory() bool {
	return p.in.op == opMemoryFill || p.in.op == opMemoryCopy || p.in.op == opMemoryInit
}

func (p *piece) isCopy() bool { return p.in.op == opMemoryCopy || p.in.op == opTableCopy }

func (p *piece) isFill() bool { return p.in.op == opMemoryFill || p.in.op == opTableFill }

func (p *piece) get(local uint32) { p.u32(byte(opLocalGet), local) }
func (p *piece) set(local uint32) { p.u32(byte(opLocalSet), local) }

func (p *piece) isLong() {
	p.get(howMany)
	p.i32(p.length)
	p.op(i32GreaterUnsigned)
}

func (p *piece) whenLong(then func()) {
	p.isLong()
	p.op(byte(opIf), blockEmpty)
	then()
	p.op(byte(opEnd))
}

// trapOutOfBounds does the whole operation at once if it reaches out of bounds: it
// traps there before it writes, and nothing is charged for work that is not done.
func (p *piece) trapOutOfBounds() {
	p.beyond(to, p.sizeTo)
	if !p.isFill() {
		p.beyond(from, p.sizeFrom)
		p.op(i32Or)
	}
	p.op(byte(opIf), blockEmpty)
	p.work(nil)
	p.op(byte(opReturn), byte(opEnd))
}

// beyond leaves on the stack whether start + howMany is above size.
func (p *piece) beyond(start uint32, size func()) {
	p.get(start)
	p.op(i64ExtendUnsigned)
	p.get(howMany)
	p.op(i64ExtendUnsigned, i64Add)
	size()
	p.op(i64GreaterUnsigned)
}

func (p *piece) sizeTo() {
	switch p.in.op {
	case opTableInit:
		p.sizeOfTable(p.in.b)
	case opTableCopy, opTableFill:
		p.sizeOfTable(p.in.a)
	default:
		p.sizeOfMemory()
	}
}

// sizeFrom is the source's size. A dropped segment counts with its first length; its
// first piece then traps, and writes nothing.
func (p *piece) sizeFrom() {
	switch p.in.op {
	case opMemoryInit:
		p.i64(int64(p.data[p.in.a]))
	case opTableInit:
		p.i64(int64(p.elements[p.in.a]))
	case opTableCopy:
		p.sizeOfTable(p.in.b)
	default:
		p.sizeOfMemory()
	}
}

func (p *piece) sizeOfMemory() {
	p.op(byte(opMemorySize), 0, i64ExtendUnsigned)
	p.i64(16)
	p.op(i64ShiftLeft)
}

func (p *piece) sizeOfTable(table uint32) {
	p.op(prefixMisc)
	p.u32(byte(opTableSize&0xff), table)
	p.op(i64ExtendUnsigned)
}

// chargeLength subtracts a unit per element, or per 4 bytes rounded down.
func (p *piece) chargeLength() {
	p.u32(byte(opGlobalGet), p.counter)
	p.get(howMany)
	p.op(i64ExtendUnsigned)
	shift := int64(depthBits)
	if p.ofMemory() {
		shift -= bytesPerUnitLog2
		p.i64(-1 << bytesPerUnitLog2)
		p.op(i64And)
	}
	p.i64(shift)
	p.op(i64ShiftLeft, i64Sub)
	p.u32(byte(opGlobalSet), p.counter)
}

// refillIfNegative is the check; nothing is written yet, so a guest that is stopped for
// its fuel leaves the same memory on every run.
func (p *piece) refillIfNegative() {
	p.u32(byte(opGlobalGet), p.counter)
	p.i64(0)
	p.op(i64LessSigned, byte(opIf), blockEmpty)
	p.look()
	p.op(byte(opEnd))
	p.checks++
}

// look asks the host, whether fuel is left or not.
func (p *piece) look() {
	p.u32(byte(opGlobalGet), p.counter)
	p.u32(byte(opCall), p.refill())
	p.u32(byte(opGlobalSet), p.counter)
}

// pieces does all but the last piece. A copy to a higher place starts at the far end,
// so that no piece overwrites what a later one reads.
func (p *piece) pieces() {
	if !p.isCopy() {
		p.forward()
		return
	}
	p.get(to)
	p.get(from)
	p.op(i32GreaterUnsigned, byte(opIf), blockEmpty)
	p.backward()
	p.op(byte(opElse))
	p.forward()
	p.op(byte(opEnd))
}

func (p *piece) forward() {
	p.repeat(func() {
		p.work(p.one)
		p.move(to, i32Add)
		if !p.isFill() {
			p.move(from, i32Add)
		}
		p.move(howMany, i32Sub)
	})
}

func (p *piece) backward() {
	p.repeat(func() {
		p.move(howMany, i32Sub)
		for _, start := range []uint32{to, from} {
			p.get(start)
			p.get(howMany)
			p.op(i32Add)
		}
		p.i32(p.length)
		p.code = p.in.appendTo(p.code)
	})
}

func (p *piece) repeat(step func()) {
	p.op(byte(opLoop), blockEmpty)
	p.look()
	step()
	p.isLong()
	p.u32(byte(opBrIf), 0)
	p.op(byte(opEnd))
}

func (p *piece) one() { p.i32(p.length) }

func (p *piece) move(local uint32, op byte) {
	p.get(local)
	p.i32(p.length)
	p.op(op)
	p.set(local)
}

// work does the operation from where it stands, on as much as length says; nil means
// all that is left.
func (p *piece) work(length func()) {
	p.get(to)
	p.get(from)
	if length == nil {
		p.get(howMany)
	} else {
		length()
	}
	p.code = p.in.appendTo(p.code)
}
