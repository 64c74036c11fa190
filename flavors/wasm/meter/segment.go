package meter

// readExpression reads a constant expression and adds it to out, function indices
// shifted. known is how many globals it may name.
func (m *module) readExpression(r *reader, known int, out *vector) {
	var in instr
	b := out.bytes
	for r.ok() {
		at := r.at
		m.next(r, &in)
		switch in.op {
		case opEnd:
			out.bytes = in.appendTo(b)
			return
		case opRefFunc:
			m.escape(in.a)
			in.a = m.shift(in.a)
		case opI32Const, opI64Const, opF32Const, opF64Const, opV128Const, opRefNull:
		case opGlobalGet:
			if int(in.a) >= known {
				r.malformed("global %d in a constant expression, %d are known there", in.a, known)
			}
		case 0x6a, 0x6b, 0x6c, 0x7c, 0x7d, 0x7e:
			r.at = at
			r.unsupported("extended-const", "arithmetic in a constant expression")
		default:
			if r.ok() {
				r.at = at
				r.malformed("opcode %#x in a constant expression", in.op)
			}
		}
		b = in.appendTo(b)
	}
}

// readElements reads the element section. A segment's flags: bit 0 says not active,
// bit 1 that a table (active) or "declared" (not active) follows, bit 2 that the
// elements are expressions.
func (m *module) readElements(r *reader) {
	for range r.each("element segments") {
		m.readElement(r)
	}
}

func (m *module) readElement(r *reader) {
	out := &m.out.elements
	flags := r.u32()
	if flags > 7 {
		r.malformed("element segment flags %#x", flags)
		return
	}
	out.add(byte(flags))
	if flags&1 == 0 {
		table := uint32(0)
		if flags&2 != 0 {
			table = r.u32()
			out.bytes = appendUnsigned(out.bytes, table)
		}
		if int64(table) >= int64(len(m.tables)) {
			r.malformed("table %d does not exist, there are %d", table, len(m.tables))
		}
		m.readExpression(r, m.globals, out)
	}
	if flags&3 != 0 {
		m.readElementKind(r, flags&4 != 0)
	}
	m.readElementItems(r, flags&4 != 0)
}

func (m *module) readElementKind(r *reader, expressions bool) {
	if expressions {
		m.out.elements.bytes = append(m.out.elements.bytes, readReferenceType(r))
		return
	}
	if kind := r.byte(); kind != 0 {
		r.malformed("element kind %d", kind)
	}
	m.out.elements.bytes = append(m.out.elements.bytes, 0)
}

func (m *module) readElementItems(r *reader, expressions bool) {
	out := &m.out.elements
	n := r.count("elements")
	m.elements = append(m.elements, uint32(n))
	out.bytes = appendUnsigned(out.bytes, uint32(n))
	for i := 0; i < n && r.ok(); i++ {
		if expressions {
			m.readExpression(r, m.globals, out)
			continue
		}
		index := r.index("function", len(m.functions))
		m.escape(index)
		out.bytes = appendUnsigned(out.bytes, m.shift(index))
	}
}

// readData reads the data section. A segment's flags: 1 is passive, 2 names a memory.
func (m *module) readData(r *reader) {
	for range r.each("data segments") {
		m.readDatum(r)
	}
}

func (m *module) readDatum(r *reader) {
	out := &m.out.data
	flags := r.u32()
	if flags > 2 {
		r.malformed("data segment flags %#x", flags)
		return
	}
	out.add(byte(flags))
	if flags == 2 {
		if i := r.u32(); i != 0 {
			r.unsupported("multi-memory", "data for memory %d", i)
		}
		out.bytes = append(out.bytes, 0)
	}
	if flags != 1 {
		if m.memories == 0 {
			r.malformed("memory 0 does not exist")
		}
		m.readExpression(r, m.globals, out)
	}
	content := r.take(int64(r.u32()))
	m.data = append(m.data, uint32(len(content)))
	out.bytes = appendBytes(out.bytes, content)
}
