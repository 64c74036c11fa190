package meter

// costVersion names the table below. A change of any number here changes what a guest's
// fuel is, and must change this name: recorded budgets are stated in it.
const costVersion = "1"

// Costs in units of fuel. A unit is about one simple machine instruction; measured,
// ordinary code runs at 0.04 to 0.17 ns a unit.
const (
	costDefault      = 1
	costTableJump    = 2  // br_table
	costCall         = 3  // call of the module's own function
	costIndirect     = 5  // call_indirect: bounds and signature are checked
	costImport       = 20 // call of the host; what the host does is its own to bound
	costDivision     = 10 // integer and floating division, remainder, square root
	costHostExit     = 30 // ref.func leaves compiled code
	costBulk         = 10 // bulk memory and table operations, besides their length
	costMemoryGrow   = 200
	costGrownPage    = 2048 // per page of 64 KiB that memory.grow asks for
	bytesPerUnitLog2 = 2    // bulk memory operations cost a unit per 4 bytes
)

// costs holds every opcode's cost: plain at 0, misc at 0xfc00, vector at 0xfd00.
var plainCosts, miscCosts, vectorCosts = opcodeCosts()

func opcodeCosts() (plain, misc, vector [256]uint8) {
	for i := range plain {
		plain[i], misc[i], vector[i] = costDefault, costDefault, costDefault
	}
	for _, op := range []opcode{opNop, opBlock, opLoop, opElse, opEnd, opDrop} {
		plain[op] = 0
	}
	plain[opBrTable] = costTableJump
	plain[opCall], plain[opCallIndirect] = costCall, costIndirect
	plain[opRefFunc] = costHostExit
	for _, op := range []int{
		0x6d, 0x6e, 0x6f, 0x70, // i32 div, rem
		0x7f, 0x80, 0x81, 0x82, // i64 div, rem
		0x91, 0x95, 0x9f, 0xa3, // f32 sqrt, div; f64 sqrt, div
	} {
		plain[op] = costDivision
	}
	for _, op := range []opcode{opMemoryInit, opMemoryCopy, opMemoryFill, opTableInit, opTableCopy, opTableFill, opTableGrow} {
		misc[op&0xff] = costBulk
	}
	plain[opMemoryGrow] = costMemoryGrow
	for _, op := range []int{0xe3, 0xe7, 0xef, 0xf3} { // f32x4 and f64x2 sqrt, div
		vector[op] = costDivision
	}
	return plain, misc, vector
}

// cost is what one execution of the instruction costs, the length of a bulk operation
// left out.
func (m *module) cost(in *instr) int64 {
	switch in.op >> 8 {
	case prefixMisc:
		return int64(miscCosts[in.op&0xff])
	case prefixVector:
		return int64(vectorCosts[in.op&0xff])
	}
	if in.op == opCall && int(in.a) < m.importedFunctions {
		return costImport
	}
	return int64(plainCosts[in.op])
}
