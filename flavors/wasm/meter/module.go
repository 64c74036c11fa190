package meter

// module is a module taken apart: the sizes of its ORIGINAL index spaces, against which
// everything is checked, and its sections, already re-encoded with shifted indices.
// The code section alone is kept as it stood, since it takes two passes of its own.
type module struct {
	options Options
	src     []byte

	types             []functionType
	functions         []uint32 // type of every function, imported ones first
	importedFunctions int
	tables            []byte // reference type of every table
	memories          int
	globals           int
	elements          []uint32 // length of every element segment
	dataCount         int      // what the data count section says; 0 without one
	hasDataCount      bool
	data              []uint32 // length of every data segment, in bytes
	bodies            []body
	exports           []export
	escaped           map[uint32]bool // functions that may be called through a table, or at the start
	names             *names          // nil without a name section
	changes           changes

	out struct {
		types, imports, functions, tables, memories vector
		globals, elements, code, data               vector
		start, dataCount, customs                   []byte // whole sections, nil if absent
	}
}

// export is one entry of the export section, with the index that it had.
type export struct {
	name  string
	kind  byte
	index uint32
}

// escape notes that it cannot be told who calls the function.
func (m *module) escape(function uint32) {
	if m.escaped == nil {
		m.escaped = map[uint32]bool{}
	}
	m.escaped[function] = true
}

// body is one entry of the code section, as it stood.
type body struct{ from, to int }

// defined returns how many functions the module itself has.
func (m *module) defined() int { return len(m.functions) - m.importedFunctions }

// shift returns the index that function i has after rewriting: the meter's imports
// come between the guest's imports and its own functions.
func (m *module) shift(i uint32) uint32 {
	if int(i) < m.importedFunctions {
		return i
	}
	return i + AddedImports
}

// sectionOrder is the place of each non-custom section in a module.
var sectionOrder = [...]int{
	SectionType: 1, SectionImport: 2, SectionFunction: 3, SectionTable: 4, SectionMemory: 5,
	SectionGlobal: 6, SectionExport: 7, SectionStart: 8, SectionElement: 9,
	SectionDataCount: 10, SectionCode: 11, SectionData: 12,
}

// parse reads the whole module.
func (m *module) parse() error {
	r := reader{src: m.src, end: len(m.src), place: "header"}
	if string(r.take(4)) != "\x00asm" {
		r.malformed("no WebAssembly magic number")
	}
	if v := string(r.take(4)); v != "\x01\x00\x00\x00" {
		r.unsupported("", "WebAssembly version % x, only 01 00 00 00 is a core module", v)
	}
	for last := 0; r.more(); {
		last = m.section(&r, last)
	}
	if r.ok() {
		m.checkCounts(&r)
	}
	if r.err != nil {
		return r.err
	}
	return nil
}

// section reads one section and returns its place in the order.
func (m *module) section(r *reader, last int) int {
	r.place = "section header"
	id := r.byte()
	if r.ok() && int(id) >= len(sectionOrder) {
		r.at--
		if id == SectionTag {
			r.unsupported("exception-handling", "tag section")
		}
		r.malformed("unknown section %d", id)
		return last
	}
	size := r.u32()
	content := r.sub(size, SectionName(id))
	if id == SectionCustom {
		m.readCustom(&content)
	} else {
		place := sectionOrder[id]
		if r.ok() && place <= last {
			r.malformed("%s twice or out of order", SectionName(id))
		}
		last = place
		m.readSection(id, &content)
	}
	r.adopt(&content)
	return last
}

func (m *module) readSection(id byte, r *reader) {
	switch id {
	case SectionType:
		m.readTypes(r)
	case SectionImport:
		m.readImports(r)
	case SectionFunction:
		m.readFunctions(r)
	case SectionTable:
		m.readTables(r)
	case SectionMemory:
		m.readMemories(r)
	case SectionGlobal:
		m.readGlobals(r)
	case SectionExport:
		m.readExports(r)
	case SectionStart:
		m.readStart(r)
	case SectionElement:
		m.readElements(r)
	case SectionDataCount:
		m.readDataCount(r)
	case SectionCode:
		m.readBodies(r)
	case SectionData:
		m.readData(r)
	}
}

// checkCounts compares what one section announces with what another holds.
func (m *module) checkCounts(r *reader) {
	r.place = "module"
	if m.defined() != len(m.bodies) {
		r.malformed("%d functions declared, %d bodies", m.defined(), len(m.bodies))
	}
	if m.hasDataCount && m.dataCount != len(m.data) {
		r.malformed("%d data segments announced, %d there", m.dataCount, len(m.data))
	}
	if m.memories > 1 {
		r.unsupported("multi-memory", "%d memories", m.memories)
	}
}
