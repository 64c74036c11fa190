package meter

import "strings"

// readCustom keeps a custom section, unless the rewriting makes it wrong: debug and
// relocation data speak of code offsets. "name" is kept with shifted indices.
func (m *module) readCustom(r *reader) {
	from := r.at
	name := r.text()
	switch {
	case !r.ok():
	case name == "name":
		m.readNames(r)
	case staleAfterRewriting(name):
		r.take(int64(r.left()))
	default:
		r.take(int64(r.left()))
		m.out.customs = appendBytes(append(m.out.customs, SectionCustom), r.src[from:r.at])
	}
}

func staleAfterRewriting(name string) bool {
	return strings.HasPrefix(name, ".debug_") || strings.HasPrefix(name, "reloc.") ||
		name == "linking" || name == "sourceMappingURL" || name == "external_debug_info" ||
		name == "metadata.code.branch_hint"
}

// Subsections of the "name" section.
const (
	namesModule    = 0
	namesFunctions = 1
	namesLocals    = 2
)

// names is what is kept of the name section.
type names struct {
	module    []byte // the module's name, encoded; nil if absent
	functions vector // indices shifted
}

// readNames keeps the names of the module and of its functions. Names of locals and of
// everything else are checked for form and left out: no stack trace shows them.
func (m *module) readNames(r *reader) {
	r.place = "name section"
	if m.names != nil {
		r.malformed("a second one")
	}
	m.names = &names{}
	for r.more() {
		id := r.byte()
		content := r.sub(r.u32(), r.place)
		switch id {
		case namesModule:
			m.names.module = appendText(nil, content.text())
		case namesFunctions:
			m.readFunctionNames(&content)
		case namesLocals:
			checkLocalNames(&content)
		default:
			content.take(int64(content.left()))
		}
		r.adopt(&content)
	}
}

func (m *module) readFunctionNames(r *reader) {
	m.names.functions = vector{}
	for range r.each("function names") {
		index := r.u32()
		name := r.text()
		if int64(index) < int64(len(m.functions)) {
			m.names.functions.add(appendText(appendUnsigned(nil, m.shift(index)), name)...)
		}
	}
}

// name adds the name of an appended function, whose index must be above all before.
func (n *names) name(index uint32, name string) {
	if n != nil {
		n.functions.add(appendText(appendUnsigned(nil, index), name)...)
	}
}

// appendTo appends the name section, or nothing if there was none.
func (n *names) appendTo(b []byte) []byte {
	if n == nil {
		return b
	}
	content := appendText(nil, "name")
	if n.module != nil {
		content = appendBytes(append(content, namesModule), n.module)
	}
	return appendBytes(append(b, SectionCustom), n.functions.appendTo(content, namesFunctions))
}

func checkLocalNames(r *reader) {
	for range r.each("functions with named locals") {
		r.u32()
		for range r.each("local names") {
			r.u32()
			r.text()
		}
	}
}
