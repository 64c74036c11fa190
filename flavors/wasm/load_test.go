package wasm

import (
	"bytes"
	"compress/gzip"
	"strings"
	"testing"

	"github.com/leat-run/leat/runtime"
)

// assembly builds small modules section by section.
type assembly struct{ bytes []byte }

func newAssembly() *assembly { return &assembly{[]byte("\x00asm\x01\x00\x00\x00")} }

func (a *assembly) section(id byte, content string) *assembly {
	a.bytes = append(a.bytes, id, byte(len(content)))
	a.bytes = append(a.bytes, content...)
	return a
}

func name(s string) string { return string(rune(len(s))) + s }

// importing is a module whose one import is a function () -> ().
func importing(module, function string) []byte {
	return newAssembly().section(1, "\x01\x60\x00\x00").section(2, "\x01"+name(module)+name(function)+"\x00\x00").bytes
}

const (
	typesOfABI = "\x03\x60\x01\x7f\x01\x7f\x60\x02\x7f\x7f\x01\x7f\x60\x00\x00" // alloc, transform, () -> ()
	bodiesABI  = "\x02\x04\x00\x41\x00\x0b\x04\x00\x41\x00\x0b"
)

// complete is a module that loads; memory and code can be replaced.
func complete(memory, code string) []byte {
	return newAssembly().section(1, typesOfABI).section(3, "\x02\x00\x01").section(5, memory).
		section(7, "\x03"+name("memory")+"\x02\x00"+name("leat_alloc")+"\x00\x00"+name("transform")+"\x00\x01").
		section(10, code).bytes
}

func gzipped(b []byte) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, _ = w.Write(b)
	_ = w.Close()
	return out.Bytes()
}

// TestC31C32C33C34C35C36C37LoadErrors proves that everything that is wrong with a module is
// said at Compile, with kind compile, the cause and the way out. It is the table "Raw engine
// messages" in our own words.
func TestC31C32C33C34C35C36C37LoadErrors(t *testing.T) {
	ok := complete("\x01\x00\x01", bodiesABI)
	for _, c := range []struct {
		name        string
		module      []byte
		cause, hint string
	}{
		{"C31 component", []byte("\x00asm\x0d\x00\x01\x00"), "wasm component", "wasm32-wasip1"},
		{"other version", []byte("\x00asm\x02\x00\x00\x00"), "version 02 00 00 00", "core module"},
		{"C32 text", []byte("(module (memory 1))"), "WebAssembly text", "wat2wasm"},
		{"C32 commented text", []byte(";; hello\n(module)"), "WebAssembly text", "wat2wasm"},
		{"C32 script", []byte("export default function (msg) { return msg }"), "text, not a module", "script:"},
		{"C32 gzip", gzipped(ok), "gzip", "gunzip"},
		{"C32 empty", nil, "empty", "build"},
		{"C32 cut off", ok[:len(ok)-9], "ends inside its code section", "cut off"},
		{"C32 cut off in the header", ok[:6], "ends inside its header", "cut off"},
		{"zip", []byte("PK\x03\x04...."), "zip", "unzip"},
		{"native", []byte("\x7fELF\x02\x01"), "native program", "WebAssembly"},
		{"html", []byte("<!doctype html>"), "HTML", "download"},
		{"noise", []byte{0xfe, 0xed, 0, 1}, "no WebAssembly module", ".wasm"},
		{"memory64", complete("\x01\x04\x01", bodiesABI), "memory64", "wasm32"},
		{"shared memory", complete("\x01\x03\x01\x02", bodiesABI), "threads", "-pthread"},
		{"struct", newAssembly().section(1, "\x01\x5f\x00").bytes, "gc", "brings its own memory"},
		{"array", newAssembly().section(1, "\x01\x5e\x7f\x00").bytes, "gc", "brings its own memory"},
		{"tail call", complete("\x01\x00\x01", "\x02\x06\x00\x41\x00\x12\x00\x0b\x04\x00\x41\x00\x0b"), "tail-call", "tail"},
		{"exceptions", newAssembly().section(13, "\x01\x00\x00").bytes, "exception-handling", "panic=abort"},
		{"two memories", complete("\x02\x00\x01\x00\x01", bodiesABI), "multi-memory", "one memory"},
		{"C37 memory", complete("\x01\x00\x80\x80\x04", bodiesABI), "65536 pages (4 GiB)", "budget.memory"},
		{"C33 no exports", newAssembly().bytes, "exports nothing", "export"},
		{
			"C33 other exports",
			newAssembly().section(1, typesOfABI).section(3, "\x01\x01").section(7, "\x01"+name("Transform")+"\x00\x00").section(10, "\x01\x04\x00\x41\x00\x0b").bytes,
			"it exports Transform", "is Transform meant?",
		},
		{
			"C34 signature",
			newAssembly().section(1, "\x01\x60\x01\x7c\x01\x7c").section(3, "\x01\x00").section(7, "\x01"+name("transform")+"\x00\x00").section(10, "\x01\x04\x00\x20\x00\x0b").bytes,
			"(f64) -> f64, but must be (i32, i32) -> i32", "SDK",
		},
		{"C36 command", guest(t, "echo"), "is a command", "abi: command"},
		{"C35 emscripten", importing("env", "emscripten_resize_heap"), "env.emscripten_resize_heap, which leat does not offer (Emscripten)", "STANDALONE_WASM"},
		{"C35 go for the browser", importing("gojs", "runtime.wasmExit"), "Go for the browser", "GOOS=wasip1"},
		{"C35 component's import", importing("wasi:cli/environment@0.2.0", "get-environment"), "component's imports", "wasip1"},
		{"C35 wasm-bindgen", importing("wbg", "__wbindgen_throw"), "wasm-bindgen", "cdylib"},
		{"C35 wasi function", importing(wasiModule, "sock_open"), "wasi_snapshot_preview1.sock_open", "preview 1"},
		{"C35 own function", importing("leat", "emitt"), "leat.emitt", "README"},
		{"C35 lost symbol", importing("env", "my_log"), "the linker did not find", "--allow-undefined"},
		{"wrong import signature", importing("leat", "emit"), "leat.emit as (), but it is (i32, i32)", "leat/1"},
		{"imported memory", newAssembly().section(2, "\x01"+name("env")+name("memory")+"\x02\x00\x01").bytes, "imports the memory env.memory", "--import-memory"},
		{"start traps", guest(t, "starttrap"), "does not start: unreachable", "panic"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := load(t, c.module, settings())
			failure := failed(t, err)
			if failure.Kind != runtime.KindCompile || failure.File != "guest.wasm" {
				t.Errorf("kind %s, file %q", failure.Kind, failure.File)
			}
			if !strings.Contains(failure.Message, c.cause) {
				t.Errorf("cause %q, want %q", failure.Message, c.cause)
			}
			if !strings.Contains(failure.Hint, c.hint) {
				t.Errorf("hint %q, want %q", failure.Hint, c.hint)
			}
		})
	}
}

// TestC37MaximumAboveTheBudgetLoads proves that a module may declare more memory than it
// gets, as long as it starts with less.
func TestC37MaximumAboveTheBudgetLoads(t *testing.T) {
	m, err := load(t, complete("\x01\x01\x01\x80\x80\x04", bodiesABI), settings())
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Close(); err != nil {
		t.Error(err)
	}
}

// FuzzPreview proves that no bytes make the decoder panic, and that what it refuses it
// refuses as a failure of kind compile.
func FuzzPreview(f *testing.F) {
	f.Add(complete("\x01\x00\x01", bodiesABI))
	for _, g := range []string{"misbehave", "echo", "identity"} {
		f.Add(guest(f, g))
	}
	s := settings()
	f.Fuzz(func(t *testing.T, module []byte) {
		p, err := previewModule(module)
		if err == nil {
			_, err = p.checkContract(s, runtime.Code{})
		}
		if err != nil && failed(t, err).Kind != runtime.KindCompile {
			t.Error(err)
		}
	})
}

// TestC44EndlessStart proves that a start function without end is a load error, whichever of
// its two limits a busy machine lets it meet first, and that no key of the node is named to
// raise them: there is none.
func TestC44EndlessStart(t *testing.T) {
	_, err := load(t, guest(t, "startloop"), settings())
	failure := failed(t, err)
	if failure.Kind != runtime.KindCompile || !strings.Contains(failure.Message, "does not start: the guest ") || strings.Contains(failure.Hint, "raise") {
		t.Errorf("%+v", failure)
	}
}
