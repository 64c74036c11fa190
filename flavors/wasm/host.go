package wasm

import (
	"context"
	"fmt"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/leat-run/leat/flavors/wasm/meter"
	"github.com/leat-run/leat/runtime"
)

// hostFunction is one function that a guest may import. The call finds its arguments in
// stack and leaves its result, if it has one, in stack[0]. It runs on the goroutine of
// the Apply, inside the guest's call: it panics with a *runtime.Failure or an error of
// this package to end the guest, and must not do work that it has not charged.
type hostFunction struct {
	name      string
	signature signature
	call      func(i *instance, stack []uint64)
}

// hostModule is what a guest may import under one module name.
type hostModule struct {
	name      string
	functions []hostFunction
}

// hostModules is all that is offered.
var hostModules = []hostModule{
	{leatModule, leatFunctions()},
	{wasiModule, wasiFunctions()},
	{envModule, envFunctions()},
	{meter.ImportModule, meterFunctions()},
}

// lookupHost finds a function that is offered to guests.
func lookupHost(module, name string) (hostFunction, bool) {
	for _, m := range hostModules {
		if m.name != module || m.name == meter.ImportModule {
			continue
		}
		for _, f := range m.functions {
			if f.name == name {
				return f, true
			}
		}
	}
	return hostFunction{}, false
}

// instantiateHost puts the offered modules into vm, once for all guests.
func instantiateHost(ctx context.Context, vm wazero.Runtime) error {
	for _, m := range hostModules {
		builder := vm.NewHostModuleBuilder(m.name)
		for _, f := range m.functions {
			builder.NewFunctionBuilder().
				WithGoModuleFunction(bind(f), valueTypes(f.signature.params), valueTypes(f.signature.results)).
				Export(f.name)
		}
		if _, err := builder.Instantiate(ctx); err != nil {
			return fmt.Errorf("wasm: offer module %s: %w", m.name, err)
		}
	}
	return nil
}

// bind finds the calling instance in the context, which wazero passes through as it is.
func bind(f hostFunction) api.GoModuleFunction {
	return api.GoModuleFunc(func(ctx context.Context, guest api.Module, stack []uint64) {
		i, ok := ctx.(*instance)
		if !ok {
			i = ctx.Value(instanceKey{}).(*instance)
		}
		if i.gauge.counter == nil { // inside the module's start function
			i.gauge.attach(guest)
		}
		f.call(i, stack)
	})
}

func valueTypes(types string) []api.ValueType { return []api.ValueType(types) }

// sig builds a signature from letters: i is i32, I is i64, f is f32, F is f64.
func sig(params, results string) signature {
	wire := map[rune]byte{'i': 0x7f, 'I': 0x7e, 'f': 0x7d, 'F': 0x7c}
	convert := func(letters string) string {
		var out []byte
		for _, l := range letters {
			out = append(out, wire[l])
		}
		return string(out)
	}
	return signature{convert(params), convert(results)}
}

// view returns the guest's bytes at ptr. The slice is the guest's own memory: copy what
// outlives the call. A range outside the memory ends the guest with kind output.
func (i *instance) view(what string, ptr, size uint64) []byte {
	memory := i.memory.bytes()
	from, n := uint64(uint32(ptr)), uint64(uint32(size))
	if from+n > uint64(len(memory)) {
		panic(&runtime.Failure{
			Kind: runtime.KindOutput, Deterministic: true,
			Message: fmt.Sprintf("%s: bytes %d to %d are outside the guest's memory of %d bytes", what, from, from+n, len(memory)),
			Hint:    "pass a pointer into the exported memory and the length in bytes",
		})
	}
	return memory[from : from+n : from+n]
}
