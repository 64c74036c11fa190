package wasm

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/leat-run/leat/flavors/wasm/meter"
	"github.com/leat-run/leat/runtime"
)

// A load fault is a *runtime.Failure of KindCompile: what is wrong with the module, and
// what the author does about it. The code's name is filled in by Compile.

const buildPages = "build lines for each language are in guests/README.md"

func loadFault(hint, format string, args ...any) *runtime.Failure {
	return &runtime.Failure{
		Kind: runtime.KindCompile, Deterministic: true,
		Message: runtime.Cut(fmt.Sprintf(format, args...), runtime.MaxReason), Hint: hint,
	}
}

func faultTruncated(section string, at, want, have int) error {
	return loadFault("the file is cut off: build or copy it again, and compare its size",
		"the module ends inside its %s: %d bytes announced at byte %d, %d are there", section, want, at, have)
}

func faultMalformed(section, what string) error {
	return loadFault("the file is damaged or was not written by a WebAssembly compiler: build it again",
		"the module's %s is malformed: %s", section, what)
}

// features maps a proposal that is not offered to the flags which turn it off.
var features = map[string]string{
	"exception-handling": "compile without exceptions: clang -fno-exceptions, rustc -C panic=abort, " +
		"emcc -sDISABLE_EXCEPTION_CATCHING=1",
	"gc": "leat runs core WebAssembly 2.0 modules, and languages that need the engine's collector " +
		"(Kotlin, Dart, Java) compile to another one; use a language that brings its own memory",
	"memory64":     "compile for wasm32: clang --target=wasm32-wasi, rustc --target wasm32-wasip1, emcc without -sMEMORY64",
	"threads":      "compile without threads: no -pthread, no --shared-memory, and no +atomics in the target features",
	"multi-memory": "a guest has one memory: link it without --multi-memory",
	"tail-call":    "compile without tail calls: clang -mno-tail-call, rustc -C target-feature=-tail-call",
}

func faultFeature(feature, what string) error {
	hint := features[feature]
	if hint == "" {
		hint = "compile for core WebAssembly 2.0, without the proposal " + feature
	}
	return loadFault(hint, "the module uses %s (%s), which leat does not run", feature, what)
}

// faultRefused puts a refusal of the rewriter into our words.
func faultRefused(err error) error {
	var refusal *meter.Refusal
	switch {
	case !errors.As(err, &refusal):
		return err
	case refusal.Feature != "":
		return faultFeature(refusal.Feature, fmt.Sprintf("%s, at byte %d: %s", refusal.Place, refusal.Offset, refusal.Message))
	case errors.Is(err, meter.ErrReserved):
		return loadFault("names that start with "+meter.ImportModule+" belong to leat: choose another one", "%v", refusal)
	case errors.Is(err, meter.ErrUnsupported):
		return loadFault("split the function or the table, or compile with optimisation", "%v", refusal)
	default:
		return loadFault("the file is damaged or was not written by a WebAssembly compiler: build it again", "%v", refusal)
	}
}

// checkHeader tells what the bytes are if they are no core module.
func checkHeader(b []byte) error {
	const magic = "\x00asm"
	switch head := string(b[:min(len(b), 8)]); {
	case len(b) == 0:
		return loadFault("the build wrote nothing: look at its output", "the file is empty")
	case head == magic+"\x01\x00\x00\x00":
		return nil
	case strings.HasPrefix(magic+"\x01\x00\x00\x00", head):
		return faultTruncated("header", 0, 8, len(b))
	case head == magic+"\x0d\x00\x01\x00":
		return loadFault("build a core module instead: rustc --target wasm32-wasip1 (not wasip2), tinygo -target=wasip1, "+
			"jco and componentize-* make components only; "+buildPages,
			"this is a wasm component, not a core module")
	case strings.HasPrefix(head, magic):
		return loadFault("build a core module of version 1", "this is WebAssembly of version % x, not a core module", head[4:])
	default:
		return faultNotWasm(b)
	}
}

func faultNotWasm(b []byte) error {
	text := strings.TrimLeft(string(b[:min(len(b), 512)]), " \t\r\n\ufeff")
	switch {
	case strings.HasPrefix(text, "\x1f\x8b"):
		return loadFault("unpack it: gunzip", "the file is gzip-compressed")
	case strings.HasPrefix(text, "PK\x03\x04"):
		return loadFault("unpack it: unzip", "the file is a zip archive")
	case strings.HasPrefix(text, "\x7fELF"), strings.HasPrefix(text, "MZ"), strings.HasPrefix(text, "\xcf\xfa\xed\xfe"):
		return loadFault("compile for WebAssembly; "+buildPages, "the file is a native program")
	case strings.HasPrefix(text, "!<arch>"):
		return loadFault("link it: wasm-ld --no-entry", "the file is an object archive, not a linked module")
	case strings.HasPrefix(text, "(module"), strings.HasPrefix(text, "(;"), strings.HasPrefix(text, ";;"):
		return loadFault("assemble it: wat2wasm FILE.wat -o FILE.wasm", "the file is WebAssembly text, not a binary module")
	case strings.HasPrefix(text, "<"):
		return loadFault("the download was probably an error page", "the file is HTML or XML, not a module")
	case isText(text):
		return loadFault("is it a script? JavaScript and TypeScript run under `script: {file: ...}`; a wasm node names the built .wasm file",
			"the file is text, not a module; it starts with %q", runtime.Cut(text, 40))
	default:
		return loadFault("name the .wasm file that the build wrote; "+buildPages,
			"the file is no WebAssembly module: it starts with % x, not 00 61 73 6d", b[:min(len(b), 4)])
	}
}

// isText says that a file's first bytes are text; the last rune may be cut.
func isText(head string) bool {
	for range utf8.UTFMax - 1 {
		if head == "" || utf8.ValidString(head) {
			break
		}
		head = head[:len(head)-1]
	}
	return head != "" && utf8.ValidString(head) && !strings.ContainsRune(head, 0)
}
