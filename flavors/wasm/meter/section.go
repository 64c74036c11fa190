package meter

import (
	"math"
	"strings"
)

func (m *module) readTypes(r *reader) {
	for range r.each("types") {
		from := r.at
		m.types = append(m.types, readFunctionType(r))
		m.out.types.add(r.src[from:r.at]...)
	}
}

func (m *module) readImports(r *reader) {
	for range r.each("imports") {
		from := r.at
		if r.text() == ImportModule {
			r.refuse(ErrReserved, "", "import from module %q, which is the meter's", ImportModule)
		}
		r.text()
		m.readImport(r)
		m.out.imports.add(r.src[from:r.at]...)
	}
}

func (m *module) readImport(r *reader) {
	switch kind := r.byte(); kind {
	case 0:
		m.functions = append(m.functions, r.index("type", len(m.types)))
		m.importedFunctions++
	case 1:
		m.tables = append(m.tables, readReferenceType(r))
		m.readLimits(r, "table")
	case 2:
		m.memories++
		m.readLimits(r, "memory")
	case 3:
		m.globals++
		readGlobalType(r)
	case 4:
		r.unsupported("exception-handling", "import of a tag")
	default:
		r.malformed("import of kind %d", kind)
	}
}

func readGlobalType(r *reader) {
	readValueType(r)
	if mutable := r.byte(); mutable > 1 {
		r.malformed("mutability %d", mutable)
	}
}

// limits are the sizes of a table or memory.
type limits struct {
	min, max uint32
	bounded  bool // max is given
}

func (m *module) readLimits(r *reader, what string) limits {
	var l limits
	switch flags := r.byte(); flags {
	case 0:
		l.min = r.u32()
	case 1:
		l.min, l.max, l.bounded = r.u32(), r.u32(), true
	case 2, 3:
		r.unsupported("threads", "shared %s", what)
	case 4, 5, 6, 7:
		r.unsupported("memory64", "%s with 64-bit indices", what)
	default:
		r.malformed("limits flags %#x of a %s", flags, what)
	}
	if l.bounded && l.max < l.min {
		r.malformed("%s with maximum %d below minimum %d", what, l.max, l.min)
	}
	return l
}

func (l limits) appendTo(b []byte) []byte {
	if !l.bounded {
		return appendUnsigned(append(b, 0), l.min)
	}
	return appendUnsigned(appendUnsigned(append(b, 1), l.min), l.max)
}

func (m *module) readFunctions(r *reader) {
	for range r.each("functions") {
		t := r.index("type", len(m.types))
		m.functions = append(m.functions, t)
		m.out.functions.add(appendUnsigned(nil, t)...)
	}
}

// readTables keeps each table, with its maximum lowered to the bound of the options: a
// table's elements are host memory which no limit on linear memory covers.
func (m *module) readTables(r *reader) {
	bound := m.options.TableElements
	for range r.each("tables") {
		if r.left() > 0 && r.src[r.at] == 0x40 {
			r.unsupported("typed-function-references", "table with an initial value")
		}
		t := readReferenceType(r)
		l := m.readLimits(r, "table")
		if l.min > bound {
			r.unsupported("", "table of %d elements, at most %d are allowed", l.min, bound)
		}
		if bound < math.MaxUint32 && (!l.bounded || l.max > bound) {
			l.max, l.bounded = bound, true
		}
		m.tables = append(m.tables, t)
		m.out.tables.add(l.appendTo([]byte{t})...)
	}
}

func (m *module) readMemories(r *reader) {
	for range r.each("memories") {
		from := r.at
		m.readLimits(r, "memory")
		m.memories++
		m.out.memories.add(r.src[from:r.at]...)
	}
}

func (m *module) readGlobals(r *reader) {
	known := m.globals // an initial value may use only what comes before it
	for range r.each("globals") {
		from := r.at
		readGlobalType(r)
		if r.ok() {
			m.changes.noteGlobal(uint32(m.globals), r.src[from], r.src[from+1])
		}
		m.out.globals.add(r.src[from:r.at]...)
		m.readExpression(r, known, &m.out.globals)
		m.globals++
	}
}

func (m *module) readExports(r *reader) {
	for range r.each("exports") {
		name := r.text()
		if strings.HasPrefix(name, ImportModule) {
			r.refuse(ErrReserved, "", "export %q, a name of the meter's", name)
		}
		kind := r.byte()
		m.exports = append(m.exports, export{name, kind, m.readExportIndex(r, kind)})
	}
}

func (m *module) readExportIndex(r *reader, kind byte) uint32 {
	switch kind {
	case 0:
		return r.index("function", len(m.functions))
	case 1:
		return r.index("table", len(m.tables))
	case 2:
		return r.index("memory", m.memories)
	case 3:
		return r.index("global", m.globals)
	case 4:
		r.unsupported("exception-handling", "export of a tag")
	default:
		r.malformed("export of kind %d", kind)
	}
	return 0
}

func (m *module) readStart(r *reader) {
	index := r.index("function", len(m.functions))
	m.escape(index)
	m.out.start = appendBytes([]byte{SectionStart}, appendUnsigned(nil, m.shift(index)))
}

func (m *module) readDataCount(r *reader) {
	n := r.u32()
	if int64(n) > int64(len(r.src)) {
		r.malformed("%d data segments announced, the module has %d bytes", n, len(r.src))
		return
	}
	m.dataCount, m.hasDataCount = int(n), true
	m.out.dataCount = appendBytes([]byte{SectionDataCount}, appendUnsigned(nil, n))
}

// readBodies notes where each body stands. They are read last, since their rewriting
// needs the data section, which comes behind them.
func (m *module) readBodies(r *reader) {
	for range r.each("bodies") {
		size := r.u32()
		from := r.at
		r.take(int64(size))
		m.bodies = append(m.bodies, body{from, r.at})
	}
}
