package wasm

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"sync"

	"github.com/tetratelabs/wazero"

	"github.com/leat-run/leat/runtime"
)

// trap is one way in which the engine ends a guest by itself.
type trap struct {
	err  error // what errors.Is finds in the error of a call
	kind runtime.Kind
	text string
	hint string
}

//go:embed traps.wasm
var trapModule []byte

// trapCauses lists the exports of traps.wat with what they mean for an author.
var trapCauses = []struct {
	export string
	kind   runtime.Kind
	text   string
	hint   string
}{
	{"unreachable", runtime.KindRuntime, "unreachable code was reached",
		"a panic, a failed assertion or an abort ends like this; the log below may tell which"},
	{"memory", runtime.KindRuntime, "memory was accessed out of bounds",
		"a wild or null pointer, or an index past the end of a buffer"},
	{"table", runtime.KindRuntime, "a function pointer does not exist", "a null or wild function pointer"},
	{"signature", runtime.KindRuntime, "a function pointer has another signature than its call", "a function pointer was cast to another type"},
	{"divide", runtime.KindRuntime, "integer division by zero", "check the divisor"},
	{"overflow", runtime.KindRuntime, "integer overflow", "the smallest integer was divided by -1, or a float is too large for an integer"},
	{"conversion", runtime.KindRuntime, "NaN was converted to an integer", "check the number before it is converted"},
	{"recursion", runtime.KindStack, "the calls nest too deep", "end the recursion, or use a loop with a stack of its own"},
}

// traps returns the engine's trap errors. wazero's own names for them are internal, so
// that each is provoked once and its identity kept: no failure's kind is ever read out of
// a text. The interpreter provokes them, since it is cheap and its errors are the compiler's.
var traps = sync.OnceValue(func() []trap {
	ctx := context.Background()
	vm := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigInterpreter())
	defer vm.Close(ctx)
	guest, err := vm.Instantiate(ctx, trapModule)
	if err != nil {
		panic(fmt.Sprintf("wasm: the trap probe does not load: %v", err))
	}
	var out []trap
	for _, c := range trapCauses {
		_, err := guest.ExportedFunction(c.export).Call(ctx)
		if err == nil {
			panic("wasm: the trap probe " + c.export + " did not trap")
		}
		out = append(out, trap{root(err), c.kind, c.text, c.hint})
	}
	return out
})

// root returns the innermost error.
func root(err error) error {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err
		}
		err = inner
	}
}

// findTrap tells which trap err is.
func findTrap(err error) (trap, bool) {
	for _, t := range traps() {
		if errors.Is(err, t.err) {
			return t, true
		}
	}
	return trap{}, false
}
