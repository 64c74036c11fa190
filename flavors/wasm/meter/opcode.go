package meter

// opcode is an instruction's code: one byte, or for the prefixed families the prefix
// in bits 8 to 15 and the sub-opcode below (0xfc08 is memory.init).
type opcode uint16

const (
	opUnreachable  opcode = 0x00
	opNop          opcode = 0x01
	opBlock        opcode = 0x02
	opLoop         opcode = 0x03
	opIf           opcode = 0x04
	opElse         opcode = 0x05
	opEnd          opcode = 0x0b
	opBr           opcode = 0x0c
	opBrIf         opcode = 0x0d
	opBrTable      opcode = 0x0e
	opReturn       opcode = 0x0f
	opCall         opcode = 0x10
	opCallIndirect opcode = 0x11
	opDrop         opcode = 0x1a
	opSelect       opcode = 0x1b
	opSelectTyped  opcode = 0x1c
	opLocalGet     opcode = 0x20
	opLocalSet     opcode = 0x21
	opLocalTee     opcode = 0x22
	opGlobalGet    opcode = 0x23
	opGlobalSet    opcode = 0x24
	opTableGet     opcode = 0x25
	opTableSet     opcode = 0x26
	opMemorySize   opcode = 0x3f
	opMemoryGrow   opcode = 0x40
	opI32Const     opcode = 0x41
	opI64Const     opcode = 0x42
	opF32Const     opcode = 0x43
	opF64Const     opcode = 0x44
	opRefNull      opcode = 0xd0
	opRefIsNull    opcode = 0xd1
	opRefFunc      opcode = 0xd2

	prefixMisc   = 0xfc
	prefixVector = 0xfd

	opMemoryInit opcode = 0xfc08
	opDataDrop   opcode = 0xfc09
	opMemoryCopy opcode = 0xfc0a
	opMemoryFill opcode = 0xfc0b
	opTableInit  opcode = 0xfc0c
	opElemDrop   opcode = 0xfc0d
	opTableCopy  opcode = 0xfc0e
	opTableGrow  opcode = 0xfc0f
	opTableSize  opcode = 0xfc10
	opTableFill  opcode = 0xfc11

	opV128Const opcode = 0xfd0c
)

// form is the shape of an instruction's immediates.
type form uint8

const (
	formUnknown form = iota // refused
	formNone
	formBlock      // a block type
	formLabel      // one label
	formLabels     // a vector of labels and a default
	formFunction   // a function
	formIndirect   // a type and a table
	formLocal      // a local
	formGlobal     // a global
	formTable      // a table
	formMemory     // alignment and offset
	formMemoryLane // alignment, offset and a lane
	formZero       // one memory index, which is 0
	formI32
	formI64
	formBytes4
	formBytes8
	formBytes16
	formLane
	formTypes      // a vector of value types
	formReference  // a reference type
	formDataMemory // a data segment and memory 0
	formData       // a data segment
	formMemories   // memory 0 twice
	formElemTable  // an element segment and a table
	formElem       // an element segment
	formTables     // two tables
)

// plainForms, miscForms and vectorForms say which opcodes of core WebAssembly 2.0
// exist, and the shape of each.
var (
	plainForms  = plainOpcodes()
	miscForms   = miscOpcodes()
	vectorForms = vectorOpcodes()
)

func plainOpcodes() (forms [256]form) {
	for op := 0x45; op <= 0xc4; op++ { // comparison, arithmetic, conversion, sign extension
		forms[op] = formNone
	}
	for op := 0x28; op <= 0x3e; op++ { // loads and stores
		forms[op] = formMemory
	}
	for op, f := range map[opcode]form{
		opUnreachable: formNone, opNop: formNone,
		opBlock: formBlock, opLoop: formBlock, opIf: formBlock, opElse: formNone, opEnd: formNone,
		opBr: formLabel, opBrIf: formLabel, opBrTable: formLabels, opReturn: formNone,
		opCall: formFunction, opCallIndirect: formIndirect,
		opDrop: formNone, opSelect: formNone, opSelectTyped: formTypes,
		opLocalGet: formLocal, opLocalSet: formLocal, opLocalTee: formLocal,
		opGlobalGet: formGlobal, opGlobalSet: formGlobal,
		opTableGet: formTable, opTableSet: formTable,
		opMemorySize: formZero, opMemoryGrow: formZero,
		opI32Const: formI32, opI64Const: formI64, opF32Const: formBytes4, opF64Const: formBytes8,
		opRefNull: formReference, opRefIsNull: formNone, opRefFunc: formFunction,
	} {
		forms[op] = f
	}
	return forms
}

func miscOpcodes() (forms [18]form) {
	for op := 0; op <= 7; op++ { // saturating truncation
		forms[op] = formNone
	}
	for op, f := range map[opcode]form{
		opMemoryInit: formDataMemory, opDataDrop: formData,
		opMemoryCopy: formMemories, opMemoryFill: formZero,
		opTableInit: formElemTable, opElemDrop: formElem, opTableCopy: formTables,
		opTableGrow: formTable, opTableSize: formTable, opTableFill: formTable,
	} {
		forms[op&0xff] = f
	}
	return forms
}

// vectorHoles are the sub-opcodes below 256 that core WebAssembly 2.0 leaves out.
var vectorHoles = []int{
	0x9a, 0xa2, 0xa5, 0xa6, 0xaf, 0xb0, 0xb2, 0xb3, 0xb4, 0xbb,
	0xc2, 0xc5, 0xc6, 0xcf, 0xd0, 0xd2, 0xd3, 0xd4, 0xe2, 0xee,
}

func vectorOpcodes() (forms [256]form) {
	set := func(from, to int, f form) {
		for op := from; op <= to; op++ {
			forms[op] = f
		}
	}
	set(0x00, 0xff, formNone)
	set(0x00, 0x0b, formMemory)     // loads and store
	set(0x0c, 0x0d, formBytes16)    // v128.const, i8x16.shuffle
	set(0x15, 0x22, formLane)       // extract and replace
	set(0x54, 0x5b, formMemoryLane) // load and store of a lane
	set(0x5c, 0x5d, formMemory)     // load and zero
	for _, hole := range vectorHoles {
		forms[hole] = formUnknown
	}
	return forms
}

// proposal names the WebAssembly proposal that an unknown opcode belongs to, so that
// the author can be told which compiler flag to drop; empty if none is known.
func proposal(op byte, sub uint32) string {
	switch {
	case op == 0x06, op == 0x07, op == 0x08, op == 0x09, op == 0x0a, op == 0x18, op == 0x19, op == 0x1f:
		return "exception-handling"
	case op == 0x12, op == 0x13:
		return "tail-call"
	case op == 0x14, op == 0x15, op >= 0xd3 && op <= 0xd6:
		return "typed-function-references"
	case op == 0xfb:
		return "gc"
	case op == 0xfe:
		return "threads"
	case op == prefixVector && sub >= 0x100:
		return "relaxed-simd"
	case op == prefixMisc && sub >= 0x13 && sub <= 0x16:
		return "wide-arithmetic"
	}
	return ""
}
