package meter

import (
	"context"
	"errors"
	goruntime "runtime"
	"testing"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
)

// The reference host: what doc.go asks of one, in the least code.

var (
	errFuel     = errors.New("fuel")
	errDeadline = errors.New("deadline")
	errStack    = errors.New("stack")
	errNoMeter  = errors.New("no meter in the context")
)

type callKey struct{}

// compiled spares the tests compiling a module once per instance.
var compiled = wazero.NewCompilationCache()

// call is one metered call into a guest.
type call struct {
	account  Account
	deadline time.Time // zero: none
	global   api.MutableGlobal
	asked    int
	used     int64 // when it was asked last
	stretch  int64 // most fuel used between two times
	yielded  time.Time
}

func (c *call) refill(counter int64) int64 {
	c.asked++
	if c.global != nil {
		used := c.account.Used(counter)
		c.stretch, c.used = max(c.stretch, used-c.used), used
	}
	if !c.deadline.IsZero() {
		now := time.Now()
		if now.After(c.deadline) {
			panic(errDeadline)
		}
		if now.Sub(c.yielded) > time.Millisecond {
			goruntime.Gosched()
			c.yielded = now
		}
	}
	add, ok := c.account.Grant(counter)
	if !ok {
		panic(errFuel)
	}
	if c.global != nil {
		c.global.Set(uint64(int64(c.global.Get()) + add))
	}
	return counter + add
}

func callOf(ctx context.Context) *call {
	c, ok := ctx.Value(callKey{}).(*call)
	if !ok {
		panic(errNoMeter)
	}
	return c
}

// provideMeter gives the runtime the two functions that rewritten modules import.
func provideMeter(ctx context.Context, vm wazero.Runtime) error {
	_, err := vm.NewHostModuleBuilder(ImportModule).
		NewFunctionBuilder().WithFunc(func(ctx context.Context, counter int64) int64 {
		return callOf(ctx).refill(counter)
	}).Export(RefillName).
		NewFunctionBuilder().WithFunc(func(ctx context.Context, counter int64) int64 {
		if TooDeep(counter) {
			panic(errStack)
		}
		return callOf(ctx).refill(counter)
	}).Export(EnterName).
		Instantiate(ctx)
	return err
}

// budget is what a test allows one call.
type budget struct {
	fuel, chunk int64
	stack       int
	timeout     time.Duration
}

var plenty = budget{fuel: 1 << 50, chunk: DefaultChunk, stack: DefaultStack}

// guest is one instance of a rewritten module.
type guest struct {
	vm     wazero.Runtime
	module api.Module
	global api.MutableGlobal
}

func newGuest(t testing.TB, config wazero.RuntimeConfig, wasm []byte) *guest {
	t.Helper()
	return newGuestOf(t, config, rewritten(t, wasm))
}

// rewritten is the module, rewritten with the default options.
func rewritten(t testing.TB, wasm []byte) []byte {
	t.Helper()
	r, err := Rewrite(wasm, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r.Module
}

// newGuestOf instantiates a module as it is.
func newGuestOf(t testing.TB, config wazero.RuntimeConfig, module []byte) *guest {
	t.Helper()
	ctx := context.Background()
	vm := wazero.NewRuntimeWithConfig(ctx, config.WithCompilationCache(compiled))
	t.Cleanup(func() { vm.Close(ctx) })
	if err := provideMeter(ctx, vm); err != nil {
		t.Fatal(err)
	}
	if _, err := wasi_snapshot_preview1.Instantiate(ctx, vm); err != nil {
		t.Fatal(err)
	}
	account, _ := Open(1<<40, 0, 0)
	ctx = context.WithValue(ctx, callKey{}, &call{account: account})
	instance, err := vm.InstantiateWithConfig(ctx, module, wazero.NewModuleConfig().WithName("").WithStartFunctions("_initialize"))
	if err != nil {
		t.Fatal(err)
	}
	global, _ := instance.ExportedGlobal(CounterExport).(api.MutableGlobal) // none in a plain module
	return &guest{vm: vm, module: instance, global: global}
}

// result is what one call did.
type result struct {
	values []uint64
	fuel   int64
	asked  int
	// stretch is the most fuel used between two times it asked: with a chunk of 1, between
	// two checks.
	stretch int64
	err     error
}

func (g *guest) call(b budget, name string, args ...uint64) result {
	account, counter := Open(b.fuel, b.chunk, b.stack)
	c := &call{account: account, global: g.global}
	if b.timeout > 0 {
		c.deadline = time.Now().Add(b.timeout)
	}
	g.global.Set(uint64(counter))
	ctx := context.WithValue(context.Background(), callKey{}, c)
	values, err := g.module.ExportedFunction(name).Call(ctx, args...)
	counter = int64(g.global.Get())
	if err == nil && c.account.Spent(counter) {
		err = errFuel
	}
	return result{values: values, fuel: c.account.Used(counter), asked: c.asked, stretch: max(c.stretch, c.account.Used(counter)-c.used), err: err}
}
