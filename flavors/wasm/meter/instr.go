package meter

import "encoding/binary"

// instr is one decoded instruction.
type instr struct {
	op    opcode
	form  form
	block blockType // formBlock
	a, b  uint32    // indices, labels, alignment and offset, in the order of the text
	lane  byte
	value int64    // formI32, formI64
	raw   []byte   // formBytes*, formTypes (with its length): as they stood
	many  []uint32 // formLabels: all but the default, which is a
}

// next decodes one instruction into in, checking each of its indices, except labels and
// locals, which only the function's walk can check.
func (m *module) next(r *reader, in *instr) {
	first := r.byte()
	in.op, in.form = opcode(first), plainForms[first]
	if first >= prefixMisc {
		m.prefixed(r, first, in)
	}
	if in.form == formUnknown && r.ok() {
		r.at--
		r.unsupported(proposal(first, 0), "unknown opcode %#02x%s", first, belongs(proposal(first, 0)))
	}
	m.immediates(r, in)
}

func (m *module) prefixed(r *reader, first byte, in *instr) {
	if first != prefixMisc && first != prefixVector {
		return
	}
	sub := r.u32()
	switch {
	case first == prefixMisc && int64(sub) < int64(len(miscForms)):
		in.form = miscForms[sub]
	case first == prefixVector && int64(sub) < int64(len(vectorForms)):
		in.form = vectorForms[sub]
	}
	if in.form == formUnknown {
		feature := proposal(first, sub)
		r.unsupported(feature, "unknown opcode %#02x %#02x%s", first, sub, belongs(feature))
	}
	in.op = opcode(first)<<8 | opcode(sub)
}

func belongs(feature string) string {
	if feature == "" {
		return ""
	}
	return " (" + feature + ")"
}

func (m *module) immediates(r *reader, in *instr) {
	switch in.form {
	case formNone:
	case formBlock:
		in.block = m.readBlockType(r)
	case formLabel, formLocal:
		in.a = r.u32()
	case formLabels:
		in.readLabels(r)
	case formFunction:
		in.a = r.index("function", len(m.functions))
	case formIndirect:
		in.a, in.b = r.index("type", len(m.types)), r.index("table", len(m.tables))
	case formGlobal:
		in.a = r.index("global", m.globals)
	case formTable:
		in.a = r.index("table", len(m.tables))
	case formMemory, formMemoryLane:
		m.readMemoryArgument(r, in)
	case formZero:
		m.readMemoryIndex(r)
	case formI32:
		in.value = r.signed(32)
	case formI64:
		in.value = r.signed(64)
	case formBytes4:
		in.raw = r.take(4)
	case formBytes8:
		in.raw = r.take(8)
	case formBytes16:
		in.raw = r.take(16)
	case formLane:
		in.lane = r.byte()
	case formTypes:
		in.raw = readValueTypes(r)
	case formReference:
		in.lane = readReferenceType(r)
	case formDataMemory:
		in.a = r.index("data segment", m.dataCount)
		m.readMemoryIndex(r)
	case formData:
		in.a = r.index("data segment", m.dataCount)
	case formMemories:
		m.readMemoryIndex(r)
		m.readMemoryIndex(r)
	case formElemTable:
		in.a, in.b = r.index("element segment", len(m.elements)), r.index("table", len(m.tables))
	case formElem:
		in.a = r.index("element segment", len(m.elements))
	case formTables:
		in.a, in.b = r.index("table", len(m.tables)), r.index("table", len(m.tables))
	}
}

func (in *instr) readLabels(r *reader) {
	n := r.count("labels")
	in.many = in.many[:0]
	for i := 0; i < n && r.ok(); i++ {
		in.many = append(in.many, r.u32())
	}
	in.a = r.u32()
}

func (m *module) readMemoryArgument(r *reader, in *instr) {
	in.a, in.b = r.u32(), r.u32()
	switch {
	case in.a >= 64 && in.a < 128:
		r.unsupported("multi-memory", "memory index in a load or store")
	case in.a > 4:
		r.malformed("alignment 2^%d", in.a)
	case m.memories == 0:
		r.malformed("memory 0 does not exist")
	}
	if in.form == formMemoryLane {
		in.lane = r.byte()
	}
}

// readMemoryIndex reads the one-byte memory index of core WebAssembly 2.0.
func (m *module) readMemoryIndex(r *reader) {
	if i := r.byte(); i != 0 {
		r.unsupported("multi-memory", "memory %d", i)
	}
	if m.memories == 0 {
		r.malformed("memory 0 does not exist")
	}
}

// appendTo appends the instruction with every number in its shortest form. Re-encoding
// is a matter of safety: an engine that reads a padded number otherwise than this
// package must never see one. Function indices must have been shifted by the caller.
func (in *instr) appendTo(b []byte) []byte {
	if in.op > 0xff {
		b = appendUnsigned(append(b, byte(in.op>>8)), uint32(in.op&0xff))
	} else {
		b = append(b, byte(in.op))
	}
	switch in.form {
	case formBlock:
		return appendSigned(b, in.block.signature)
	case formLabel, formFunction, formLocal, formGlobal, formTable, formData, formElem:
		return appendUnsigned(b, in.a)
	case formLabels:
		return in.appendLabels(b)
	case formIndirect, formMemory, formElemTable, formTables:
		return appendUnsigned(appendUnsigned(b, in.a), in.b)
	case formMemoryLane:
		return append(appendUnsigned(appendUnsigned(b, in.a), in.b), in.lane)
	case formZero:
		return append(b, 0)
	case formI32, formI64:
		return appendSigned(b, in.value)
	case formBytes4, formBytes8, formBytes16:
		return append(b, in.raw...)
	case formLane, formReference:
		return append(b, in.lane)
	case formTypes:
		return appendBytes(b, in.raw)
	case formDataMemory:
		return append(appendUnsigned(b, in.a), 0)
	case formMemories:
		return append(b, 0, 0)
	}
	return b
}

func (in *instr) appendLabels(b []byte) []byte {
	b = binary.AppendUvarint(b, uint64(len(in.many)))
	for _, label := range in.many {
		b = appendUnsigned(b, label)
	}
	return appendUnsigned(b, in.a)
}
