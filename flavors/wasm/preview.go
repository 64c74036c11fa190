package wasm

import (
	"fmt"
	"strings"

	"github.com/leat-run/leat/flavors/wasm/meter"
)

// Kinds of imports and exports.
const (
	externFunction = 0
	externTable    = 1
	externMemory   = 2
	externGlobal   = 3
	externTag      = 4
)

var externNames = [...]string{"function", "table", "memory", "global", "tag"}

// signature is a function type, written in value type bytes.
type signature struct{ params, results string }

// String writes a signature as "(i32, i32) -> i32".
func (s signature) String() string {
	text := "(" + strings.Join(valueNames(s.params), ", ") + ")"
	if s.results == "" {
		return text
	}
	return text + " -> " + strings.Join(valueNames(s.results), ", ")
}

func valueNames(types string) []string {
	names := map[byte]string{
		0x7f: "i32", 0x7e: "i64", 0x7d: "f32", 0x7c: "f64", 0x7b: "v128", 0x70: "funcref", 0x6f: "externref",
	}
	out := make([]string, len(types))
	for i := range len(types) {
		if out[i] = names[types[i]]; out[i] == "" {
			out[i] = fmt.Sprintf("%#x", types[i])
		}
	}
	return out
}

type imported struct {
	module, name string
	kind         byte
	typeIndex    uint32 // functions only
}

type exported struct {
	kind  byte
	index uint32
}

type memoryType struct {
	minPages uint64
	maxPages uint64 // 0 where hasMax is false
	hasMax   bool
}

// preview is what the host wants to know of a module before it spends anything on it. It
// is read by our own decoder, so that every fault is told in our own words.
type preview struct {
	types     []signature
	imports   []imported
	functions []uint32 // type index of each defined function
	memories  []memoryType
	exports   map[string]exported
	names     []string // export names in the module's order
	hasStart  bool
	start     uint32
	producers []string // "Go 1.26", "clang 14.0.6", as the producers section tells
}

// previewModule reads the module's sections, code and data aside. A fault is a *loadFault.
func previewModule(module []byte) (*preview, error) {
	if err := checkHeader(module); err != nil {
		return nil, err
	}
	p := &preview{exports: map[string]exported{}}
	r := &reader{bytes: module, at: 8}
	for !r.done() {
		id, size := r.byte(), r.u32()
		at := r.at
		body := r.take(int(size))
		if !r.ok() {
			return nil, faultTruncated(meter.SectionName(id), at, int(size), len(module)-at)
		}
		if err := p.section(id, &reader{bytes: body, base: at}); err != nil {
			return nil, err
		}
	}
	return p, nil
}

func (p *preview) section(id byte, r *reader) error {
	var err error
	switch id {
	case meter.SectionCustom:
		p.custom(r)
		return nil // a broken custom section does not break a module
	case meter.SectionType:
		err = p.typeSection(r)
	case meter.SectionImport:
		err = p.importSection(r)
	case meter.SectionFunction:
		for range r.count() {
			p.functions = append(p.functions, r.u32())
		}
	case meter.SectionMemory:
		err = p.memorySection(r)
	case meter.SectionExport:
		p.exportSection(r)
	case meter.SectionStart:
		p.hasStart, p.start = true, r.u32()
	case meter.SectionTag:
		return faultFeature("exception-handling", "a tag section")
	}
	if err == nil && !r.ok() {
		err = faultMalformed(meter.SectionName(id), r.fault)
	}
	return err
}

func (p *preview) typeSection(r *reader) error {
	for range r.count() {
		switch form := r.byte(); form {
		case 0x60:
			p.types = append(p.types, signature{string(r.take(r.count())), string(r.take(r.count()))})
		case 0x5f, 0x5e, 0x4e, 0x4f, 0x50:
			return faultFeature("gc", "a struct, array or recursive type")
		default:
			r.fail("type form %#x", form)
		}
		if !r.ok() {
			return nil
		}
	}
	return nil
}

func (p *preview) importSection(r *reader) error {
	for range r.count() {
		imp := imported{module: r.name(), name: r.name(), kind: r.byte()}
		var err error
		switch imp.kind {
		case externFunction:
			imp.typeIndex = r.u32()
		case externTable:
			r.byte()
			_, err = limits(r, "table")
		case externMemory:
			_, err = limits(r, "memory")
		case externGlobal:
			r.take(2)
		case externTag:
			err = faultFeature("exception-handling", "an imported tag")
		default:
			r.fail("import kind %#x", imp.kind)
		}
		if err != nil || !r.ok() {
			return err
		}
		p.imports = append(p.imports, imp)
	}
	return nil
}

func (p *preview) memorySection(r *reader) error {
	for range r.count() {
		m, err := limits(r, "memory")
		if err != nil {
			return err
		}
		p.memories = append(p.memories, m)
	}
	if len(p.memories) > 1 {
		return faultFeature("multi-memory", fmt.Sprintf("%d memories", len(p.memories)))
	}
	return nil
}

func limits(r *reader, of string) (memoryType, error) {
	flags := r.byte()
	switch {
	case !r.ok():
		return memoryType{}, nil
	case flags&4 != 0 && flags < 8:
		return memoryType{}, faultFeature("memory64", "a 64-bit "+of)
	case flags == 2 || flags == 3:
		return memoryType{}, faultFeature("threads", "a shared "+of)
	case flags > 1:
		r.fail("limits flag %#x", flags)
	}
	m := memoryType{minPages: r.u64(), hasMax: flags == 1}
	if m.hasMax {
		m.maxPages = r.u64()
	}
	return m, nil
}

func (p *preview) exportSection(r *reader) {
	for range r.count() {
		name := r.name()
		e := exported{kind: r.byte(), index: r.u32()}
		if e.kind > externTag {
			r.fail("export kind %#x", e.kind)
		}
		if !r.ok() {
			return
		}
		if _, twice := p.exports[name]; twice {
			r.fail("two exports are named %q", name)
			return
		}
		p.exports[name] = e
		p.names = append(p.names, name)
	}
}

// custom reads the producers section, which tells the toolchain.
func (p *preview) custom(r *reader) {
	if r.name() != "producers" {
		return
	}
	for range r.count() {
		field := r.name()
		for range r.count() {
			tool, version := r.name(), r.name()
			if r.ok() && field != "sdk" {
				p.producers = append(p.producers, strings.TrimSpace(tool+" "+version))
			}
		}
	}
}

// functionCount is how many functions there are, imported ones included.
func (p *preview) functionCount() int {
	n := len(p.functions)
	for _, imp := range p.imports {
		if imp.kind == externFunction {
			n++
		}
	}
	return n
}

// functionType returns the signature of a function by its index in the module.
func (p *preview) functionType(index uint32) (signature, bool) {
	typeIndex, ok := p.typeOfFunction(index)
	if !ok || int(typeIndex) >= len(p.types) {
		return signature{}, false
	}
	return p.types[typeIndex], true
}

func (p *preview) typeOfFunction(index uint32) (uint32, bool) {
	n := uint32(0)
	for _, imp := range p.imports {
		if imp.kind != externFunction {
			continue
		}
		if n == index {
			return imp.typeIndex, true
		}
		n++
	}
	if index -= n; int(index) < len(p.functions) {
		return p.functions[index], true
	}
	return 0, false
}
