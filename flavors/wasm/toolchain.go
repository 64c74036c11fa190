package wasm

import (
	"fmt"
	"strings"
)

// A toolchain is told by the producers section, or by the names that a module imports.
type toolchain string

const (
	toolchainUnknown        toolchain = ""
	toolchainGo             toolchain = "Go"
	toolchainTinyGo         toolchain = "TinyGo"
	toolchainRust           toolchain = "Rust"
	toolchainClang          toolchain = "clang"
	toolchainAssemblyScript toolchain = "AssemblyScript"
)

func (p *preview) toolchain() toolchain {
	for _, known := range []struct {
		prefix string
		name   toolchain
	}{
		{"TinyGo", toolchainTinyGo}, {"Go cmd/compile", toolchainGo}, {"Go ", toolchainGo}, {"Rust", toolchainRust},
		{"rustc", toolchainRust}, {"AssemblyScript", toolchainAssemblyScript}, {"clang", toolchainClang}, {"Debian clang", toolchainClang},
		{"C", toolchainClang},
	} {
		for _, producer := range p.producers {
			if strings.HasPrefix(producer+" ", known.prefix) {
				return known.name
			}
		}
	}
	return toolchainUnknown
}

// smells maps imports to the toolchain that makes them and the way out. The first row
// that fits decides; "" as name fits every name.
var smells = []struct{ module, name, smell, hint string }{
	{"env", "emscripten_", "Emscripten", emscriptenHint},
	{"env", "__cxa_", "C++ exceptions", features["exception-handling"]},
	{"env", "invoke_", "Emscripten's exceptions", features["exception-handling"]},
	{"env", "__stack_pointer", "a dynamically linked side module", staticHint},
	{"env", "__memory_base", "a dynamically linked side module", staticHint},
	{"env", "__table_base", "a dynamically linked side module", staticHint},
	{"env", "__indirect_function_table", "a dynamically linked side module", staticHint},
	{"GOT.", "", "a dynamically linked side module", staticHint},
	{"env", "memory", "a linker told to import the memory", "link without --import-memory (AssemblyScript: without --importMemory)"},
	{"gojs", "", "Go for the browser", goHint},
	{"go", "", "Go for the browser", goHint},
	{"wbg", "", "wasm-bindgen", rustHint},
	{"__wbindgen", "", "wasm-bindgen", rustHint},
	{"wasi:", "", "a component's imports in a core module", "compile for WASI preview 1: rustc --target wasm32-wasip1, tinygo -target=wasip1"},
	{"wasi_unstable", "", "an old WASI", "compile with a toolchain of this decade, for wasm32-wasip1"},
	{"wasi", "thread-spawn", "WASI threads", features["threads"]},
	{"extism:", "", "an Extism plug-in", sdkHint},
	{"fastly", "", "a module for another host", sdkHint},
	{"leat", "", "", "the functions of module leat are listed in flavors/wasm/README.md"},
	{wasiModule, "", "", "leat offers WASI preview 1 as it is in its final snapshot; update the toolchain"},
	{"env", "", "a symbol that the linker did not find",
		"link what defines it, and link without --allow-undefined so that the linker says so itself"},
}

const (
	emscriptenHint = "link with -sSTANDALONE_WASM --no-entry, without -sALLOW_MEMORY_GROWTH's resize callback; or compile with clang --target=wasm32-wasi"
	staticHint     = "link statically: without -fPIC, -shared and -sSIDE_MODULE"
	goHint         = "GOOS=js does not run here: GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared"
	rustHint       = "build without wasm-bindgen (it needs a JavaScript host): a cdylib for wasm32-unknown-unknown or wasm32-wasip1"
	sdkHint        = "write the guest against leat/1: the SDKs are under guests/"
)

func (imp imported) fits(module, name string) bool {
	return strings.HasPrefix(imp.module, module) && strings.HasPrefix(imp.name, name)
}

func (p *preview) importSmell(imp imported) string {
	for _, s := range smells {
		if imp.fits(s.module, s.name) {
			return s.smell
		}
	}
	return ""
}

func (p *preview) importHint(imp imported) string {
	for _, s := range smells {
		if imp.fits(s.module, s.name) {
			return s.hint
		}
	}
	return sdkHint
}

// exportHint says how the module's toolchain exports a function.
func (p *preview) exportHint(name string) string {
	if other := nearest(name, p.names); other != "" {
		return fmt.Sprintf("is %s meant? The name must be %s", other, name)
	}
	switch p.toolchain() {
	case toolchainGo, toolchainTinyGo:
		return "add //go:wasmexport " + name + ", or use the SDK guests/go, which exports it"
	case toolchainRust:
		return "add #[no_mangle] pub extern \"C\", or use the SDK guests/rust, which exports it"
	case toolchainClang:
		return "add __attribute__((export_name(\"" + name + "\"))), or use the SDK guests/c, which exports it"
	case toolchainAssemblyScript:
		return "write `export function " + name + "`, or use the SDK guests/assemblyscript, which exports it"
	}
	return "export it, or use the language's SDK under guests/; " + buildPages
}
