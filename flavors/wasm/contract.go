package wasm

import (
	"fmt"
	"slices"
	"strings"

	"github.com/leat-run/leat/runtime"
)

// Names that the ABI gives a meaning to.
const (
	exportMemory     = "memory"
	exportAlloc      = "leat_alloc"
	exportRoom       = "leat_room"
	exportTransform  = "transform"
	exportInitialize = "_initialize"
	exportStart      = "_start"

	abiReactor = "reactor"
	abiCommand = "command"
)

// pageBytes is the unit of linear memory.
const pageBytes = 64 << 10

// entry is what the host calls in a module.
type entry struct {
	transform  string // "" for a command
	alloc      string // leat_room where there is one, else leat_alloc
	initialize bool   // a reactor's _initialize exists
}

// checkContract holds the module against leat/1: its memory, exports and imports.
func (p *preview) checkContract(settings runtime.Settings, code runtime.Code) (entry, error) {
	if err := p.checkMemory(settings.Budget.Memory); err != nil {
		return entry{}, err
	}
	if err := p.checkImports(); err != nil {
		return entry{}, err
	}
	if p.hasStart {
		if sig, ok := p.functionType(p.start); !ok || sig != (signature{}) {
			return entry{}, faultMalformed("start section", fmt.Sprintf("function %d must take and return nothing", p.start))
		}
	}
	if settings.ABI == abiCommand {
		return entry{}, p.checkCommand()
	}
	return p.checkReactor(code)
}

func (p *preview) checkMemory(budget int64) error {
	if len(p.memories) == 0 {
		return nil // an import is refused by checkImports, a missing export by checkReactor
	}
	m := p.memories[0]
	if limit := uint64(budget) / pageBytes; m.minPages > limit {
		return loadFault("raise the node's budget.memory, or link the guest for less: --initial-memory (wasm-ld), -sINITIAL_MEMORY (emcc)",
			"the module wants at least %d pages (%s) of memory, the node's budget is %d pages (%s)",
			m.minPages, byteSize(int64(m.minPages)*pageBytes), limit, byteSize(budget))
	}
	return nil
}

// byteSize writes a size in the largest unit that divides it well.
func byteSize(n int64) string {
	for _, unit := range []struct {
		size int64
		name string
	}{{1 << 30, "GiB"}, {1 << 20, "MiB"}, {1 << 10, "KiB"}} {
		if n >= unit.size && n%(unit.size/16) == 0 {
			return fmt.Sprintf("%g %s", float64(n)/float64(unit.size), unit.name)
		}
	}
	return fmt.Sprintf("%d bytes", n)
}

func (p *preview) checkReactor(code runtime.Code) (entry, error) {
	function := code.EntryFunction()
	_, command := p.exports[exportStart]
	if _, found := p.exports[function]; !found && command {
		return entry{}, p.faultCommand(function, code.Entry)
	}
	alloc := exportAlloc
	if _, found := p.exports[exportRoom]; found {
		alloc = exportRoom
	}
	wanted := []struct{ name, params, results string }{
		{function, "\x7f\x7f", "\x7f"},
		{alloc, "\x7f", "\x7f"},
	}
	for _, w := range wanted {
		if err := p.checkFunction(w.name, signature{w.params, w.results}); err != nil {
			return entry{}, err
		}
	}
	if err := p.checkMemoryExport(); err != nil {
		return entry{}, err
	}
	if _, found := p.exports[exportInitialize]; !found {
		return entry{transform: function, alloc: alloc}, nil
	}
	return entry{transform: function, alloc: alloc, initialize: true}, p.checkFunction(exportInitialize, signature{})
}

func (p *preview) checkCommand() error {
	if _, found := p.exports[exportStart]; !found {
		return loadFault("remove `abi: command` from the node if the module is a reactor",
			"the node says `abi: command`, but the module exports no _start; %s", p.exportList())
	}
	if err := p.checkFunction(exportStart, signature{}); err != nil {
		return err
	}
	return p.checkMemoryExport()
}

func (p *preview) checkFunction(name string, want signature) error {
	e, found := p.exports[name]
	switch {
	case !found:
		return loadFault(p.exportHint(name), "the module does not export the function %s%s; %s", name, want, p.exportList())
	case e.kind != externFunction:
		return loadFault(p.exportHint(name), "the module's export %s is a %s, not a function", name, externNames[e.kind])
	}
	have, ok := p.functionType(e.index)
	switch {
	case !ok:
		return faultMalformed("export section", fmt.Sprintf("%s names function %d, which does not exist", name, e.index))
	case have != want:
		return loadFault("leat/1 fixes the signature: use the language's SDK under guests/, or declare it so",
			"the module's %s is %s, but must be %s", name, have, want)
	}
	return nil
}

func (p *preview) checkMemoryExport() error {
	if e, found := p.exports[exportMemory]; !found || e.kind != externMemory {
		return loadFault("compilers export it by default; wasm-ld --export-memory, AssemblyScript without --importMemory",
			"the module does not export its memory as \"memory\"; %s", p.exportList())
	}
	return nil
}

// exportList names the exports that exist, the nearest thing to an answer that a load
// error can give.
func (p *preview) exportList() string {
	if len(p.names) == 0 {
		return "it exports nothing"
	}
	const most = 12
	shown := p.names[:min(len(p.names), most)]
	text := "it exports " + strings.Join(shown, ", ")
	if more := len(p.names) - len(shown); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return runtime.Cut(text, 1024)
}

func (p *preview) faultCommand(function string, stage runtime.Entry) error {
	build := "build a reactor that exports " + function
	switch p.toolchain() {
	case toolchainGo:
		build = "build a reactor: GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared, with //go:wasmexport " + function
	case toolchainTinyGo:
		build = "build a reactor: tinygo build -target=wasip1 -buildmode=c-shared, with //go:wasmexport " + function
	case toolchainRust:
		build = "build a reactor: crate-type = [\"cdylib\"], with #[no_mangle] pub extern \"C\" fn " + function
	case toolchainClang:
		build = "build a reactor: clang -mexec-model=reactor, with __attribute__((export_name(\"" + function + "\")))"
	}
	if stage == runtime.EntryTransform { // a stage calls an export, and has no abi
		build += "; or, if the program reads one message from stdin and writes one to stdout, say `abi: command` on the node"
	}
	return loadFault(build, "the module is a command (it exports _start) and exports no %s; %s", function, p.exportList())
}

// checkImports compares every import with what the host offers.
func (p *preview) checkImports() error {
	for _, imp := range p.imports {
		offered, found := lookupHost(imp.module, imp.name)
		switch {
		case imp.kind != externFunction:
			return loadFault(p.importHint(imp), "the module imports the %s %s.%s, and leat offers functions only",
				externNames[imp.kind], imp.module, imp.name)
		case !found:
			return p.faultImport(imp)
		case int(imp.typeIndex) >= len(p.types):
			return faultMalformed("import section", fmt.Sprintf("%s.%s has type %d, which does not exist", imp.module, imp.name, imp.typeIndex))
		}
		if have := p.types[imp.typeIndex]; have != offered.signature {
			return loadFault("declare the import as leat/1 says (flavors/wasm/README.md), or use the language's SDK under guests/",
				"the module imports %s.%s as %s, but it is %s", imp.module, imp.name, have, offered.signature)
		}
	}
	return nil
}

func (p *preview) faultImport(imp imported) error {
	text := fmt.Sprintf("the module imports %s.%s, which leat does not offer", imp.module, imp.name)
	if smell := p.importSmell(imp); smell != "" {
		text += " (" + smell + ")"
	}
	return loadFault(p.importHint(imp), "%s", text)
}

// nearest returns the candidate with the same letters as name, if there is one.
func nearest(name string, candidates []string) string {
	fold := func(s string) string { return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(s)) }
	if i := slices.IndexFunc(candidates, func(c string) bool { return fold(c) == fold(name) }); i >= 0 {
		return candidates[i]
	}
	return ""
}
