package meter

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/tetratelabs/wazero"
)

// FuzzRewrite proves that no bytes make Rewrite panic, that its error is always a
// *Refusal with a reason, and that no invalid module is made valid: what the engine
// refuses before, it refuses after.
func FuzzRewrite(f *testing.F) {
	for _, seed := range seeds(f) {
		f.Add(seed)
	}
	vm := newCompiler(f)
	f.Fuzz(func(t *testing.T, wasm []byte) { checkRewriting(t, vm, wasm) })
}

// FuzzInstruction proves that decoding never panics, and that what it accepts it writes
// so that it reads as the same instruction: the engine sees what the meter saw.
func FuzzInstruction(f *testing.F) {
	for _, seed := range []string{"\x41\xff\xff\xff\xff\x0f", "\xfd\x8c\x00", "\xfc\x8a\x00\x00\x00", "\x0e\x01\x00\x00"} {
		f.Add([]byte(seed))
	}
	m := &module{memories: 1, globals: 1, functions: []uint32{0}, tables: []byte{typeFuncref}, types: make([]functionType, 1)}
	f.Fuzz(func(t *testing.T, text []byte) {
		r := reader{src: text, end: len(text)}
		var first, second instr
		m.next(&r, &first)
		if !r.ok() {
			return
		}
		written := first.appendTo(nil)
		r = reader{src: written, end: len(written)}
		m.next(&r, &second)
		if again := second.appendTo(nil); !r.ok() || r.left() > 0 || string(again) != string(written) {
			t.Fatalf("% x was written as % x and that as % x, %v", text, written, again, r.err)
		}
	})
}

// Proves the same as FuzzRewrite on mutants of valid modules, in numbers that fit every
// run of the tests. The seed is printed.
func TestNoInvalidModuleMadeValid(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	vm := newCompiler(t)
	valid := seeds(t)
	for range 3000 {
		mutant := append([]byte(nil), valid[random.IntN(len(valid))]...)
		for range 1 + random.IntN(3) {
			mutant[random.IntN(len(mutant))] = byte(random.Uint32())
		}
		checkRewriting(t, vm, mutant)
	}
}

func checkRewriting(t *testing.T, vm wazero.Runtime, wasm []byte) {
	t.Helper()
	rewritten, err := Rewrite(wasm, Options{})
	var refusal *Refusal
	switch {
	case err != nil && !errors.As(err, &refusal):
		t.Fatalf("error of another type: %v", err)
	case err != nil && !errors.Is(err, ErrMalformed) && !errors.Is(err, ErrUnsupported) && !errors.Is(err, ErrReserved):
		t.Fatalf("refused for no reason: %v", err)
	case err != nil:
		return
	}
	if compiles(vm, rewritten.Module) && !compiles(vm, wasm) && !compiledByTheOther(wasm) && !validWithoutPadding(vm, wasm) {
		t.Fatalf("made valid: %x", wasm)
	}
}

// Proves that a vector opcode with a padded number is what it says, although the engine
// reads its first byte alone: valid by the specification, refused by the engine, and no
// module that the meter made valid. Found by TestNoInvalidModuleMadeValid.
func TestPaddedVectorOpcode(t *testing.T) {
	vm := newCompiler(t)
	wasm := vectorModule(0xe4, 0) // 0x64, i8x16.bitmask; the engine reads 0xe4, f32x4.add
	rewritten, err := Rewrite(wasm, Options{})
	if err != nil || compiles(vm, wasm) || !compiles(vm, rewritten.Module) {
		t.Fatalf("%v; before %t", err, compiles(vm, wasm))
	}
	checkRewriting(t, vm, wasm)
	if invalid := vectorModule(0xe4, 1); validWithoutPadding(vm, invalid) {
		t.Error("f32x4.add of one operand passes as padded")
	}
}

// vectorModule has one function that applies the vector instruction to a constant.
func vectorModule(opcode ...byte) []byte {
	body := append([]byte{0, 0xfd, 0x0c, 18: 0}, 0xfd)
	body = append(append(body, opcode...), 0x1a, 0x0b) // drop
	code := vector{}
	code.add(appendBytes(nil, body)...)
	wasm := []byte("\x00asm\x01\x00\x00\x00\x01\x04\x01\x60\x00\x00\x03\x02\x01\x00")
	return code.appendTo(wasm, SectionCode)
}

// validWithoutPadding reports whether the engine takes the module once no opcode's number
// is longer than it must be. It reads one byte of a vector opcode and takes a padded one
// for another; the meter reads it as the specification has it, and writes it short.
func validWithoutPadding(vm wazero.Runtime, wasm []byte) bool {
	return padded(wasm) && compiles(vm, unmetered(wasm))
}

// padded reports whether bytes look like an opcode whose number is longer than it must be.
func padded(wasm []byte) bool {
	for i, b := range wasm {
		if b != prefixMisc && b != prefixVector {
			continue
		}
		end := i + 1
		for end < len(wasm) && wasm[end] >= 0x80 {
			end++
		}
		if end > i+1 && end < len(wasm) && wasm[end] == 0 {
			return true
		}
	}
	return false
}

// unmetered writes a module that Rewrite takes as Rewrite does, and charges nothing.
func unmetered(wasm []byte) []byte {
	m := &module{options: Options{}.withDefaults(), src: wasm}
	if m.parse() != nil {
		return nil
	}
	all, refusal := m.scanBodies()
	if refusal != nil {
		return nil
	}
	w := &rewriter{module: m, counter: uint32(m.globals), typeOf: map[string]uint32{}, prepaid: make([]int64, m.defined())}
	w.hostType()
	for f, body := range m.bodies {
		walk := walk{rewriter: w, facts: &all[f], r: reader{src: wasm, at: body.from, end: body.to}}
		walk.copyLocals()
		for walk.r.more() {
			m.next(&walk.r, &walk.in)
			if walk.in.form == formFunction {
				walk.in.a = w.shift(walk.in.a)
			}
			walk.out = walk.in.appendTo(walk.out)
		}
		w.bodies = append(w.bodies, walk.out)
	}
	return w.assemble()
}

// compiledByTheOther asks the engine's compiler about a module that its interpreter does not
// take: that one also refuses valid modules, such as one with a padded sub-opcode.
func compiledByTheOther(wasm []byte) bool {
	vm := wazero.NewRuntimeWithConfig(context.Background(), wazero.NewRuntimeConfigCompiler())
	defer vm.Close(context.Background())
	return compiles(vm, wasm)
}

// newCompiler is the interpreter: it validates alike and is quick to compile.
func newCompiler(t testing.TB) wazero.Runtime {
	ctx := context.Background()
	vm := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigInterpreter())
	t.Cleanup(func() { vm.Close(ctx) })
	return vm
}

func compiles(vm wazero.Runtime, wasm []byte) (ok bool) {
	defer func() { // the engine panics on some malformed modules
		if recover() != nil {
			ok = false
		}
	}()
	module, err := vm.CompileModule(context.Background(), wasm)
	if err != nil {
		return false
	}
	module.Close(context.Background())
	return true
}

func seeds(t testing.TB) (all [][]byte) {
	t.Helper()
	paths, err := filepath.Glob("testdata/*.wasm")
	if err != nil || len(paths) == 0 {
		t.Fatal("no modules", err)
	}
	for _, path := range paths {
		wasm, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, wasm)
	}
	return all
}
