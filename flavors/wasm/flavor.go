package wasm

import (
	"context"
	"errors"
	"fmt"
	goruntime "runtime"
	"sync"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/leat-run/leat/runtime"
)

// Name is the flavor's plugin key in a document.
const Name = "wasm"

// Options of a Flavor. The zero value works.
type Options struct {
	// CacheDir keeps compiled modules from one process to the next; "" keeps none.
	CacheDir string
	// Interpreter runs guests without compiling them to machine code, as the flavor does by
	// itself on processors that wazero has no compiler for. Results and fuel are the same.
	Interpreter bool

	chunk int64 // fuel granted at a time, for tests: fuel must not depend on it
}

// Flavor runs WebAssembly. It is safe for concurrent use.
type Flavor struct {
	options Options
	open    func() (*engine, error)
	close   sync.Once
}

// New returns the flavor. It does no work and opens nothing until the first Compile.
func New(options Options) *Flavor {
	f := &Flavor{options: options}
	f.open = sync.OnceValues(func() (*engine, error) { return openEngine(options) })
	return f
}

// Name returns "wasm".
func (*Flavor) Name() string { return Name }

// Defaults is the budget of a node that says nothing.
func (*Flavor) Defaults() runtime.Budget {
	b := runtime.SharedDefaults()
	b.Fuel, b.Stack = 1_000_000_000, 10_000
	return b
}

// Compile checks code against leat/1, compiles it and runs its start functions once, so
// that a module which cannot start is found before any message.
func (f *Flavor) Compile(ctx context.Context, code runtime.Code, settings runtime.Settings) (runtime.Module, error) {
	return f.compile(ctx, code, settings, nil)
}

// compile is Compile, and Profile where a profile is given.
func (f *Flavor) compile(ctx context.Context, code runtime.Code, settings runtime.Settings, profile *runtime.FuelProfile) (runtime.Module, error) {
	if err := settings.Budget.Validate(); err != nil {
		return nil, fmt.Errorf("wasm: %s: %w", code.Name, err)
	}
	engine, err := f.open()
	if err != nil {
		return nil, err
	}
	m, err := engine.load(ctx, code, settings, profile)
	return m, named(code.Name, err)
}

// named writes the code's name into a load failure.
func named(name string, err error) error {
	var failure *runtime.Failure
	if errors.As(err, &failure) && failure.File == "" {
		failure.File = name
	}
	return err
}

// Close releases what modules share. REQUIRES: every module is closed. It is idempotent.
func (f *Flavor) Close() error {
	var err error
	f.close.Do(func() {
		engine, openErr := f.open()
		if openErr == nil {
			err = engine.Close()
		}
	})
	return err
}

// engine is the part of a flavor that runs guests: one wazero runtime that holds the host
// modules, into which every guest is instantiated without a name, so that no guest can
// import from another.
type engine struct {
	vm          wazero.Runtime
	cache       *cache
	interpreted bool
	chunk       int64 // as in Options; 0 for one that adapts
}

// interpreterFrames is how deep calls nest in wazero's interpreter, whatever budget.stack
// says. A guest that goes deeper ends with kind stack, as it would at its budget.
const interpreterFrames = 2000

// compiles says that wazero has a compiler for this processor.
func compiles() bool { return goruntime.GOARCH == "amd64" || goruntime.GOARCH == "arm64" }

func openEngine(options Options) (*engine, error) {
	config := wazero.NewRuntimeConfig()
	if options.Interpreter {
		config = wazero.NewRuntimeConfigInterpreter()
	}
	cache := openCache(options.CacheDir)
	ctx := context.Background()
	vm := wazero.NewRuntimeWithConfig(ctx, config.
		WithCoreFeatures(api.CoreFeaturesV2).
		WithCompilationCache(cache.code))
	e := &engine{vm: vm, cache: cache, interpreted: options.Interpreter || !compiles(), chunk: options.chunk}
	if err := instantiateHost(ctx, vm); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	return e, nil
}

// Close ends the runtime and its caches.
func (e *engine) Close() error {
	ctx := context.Background()
	return errors.Join(e.vm.Close(ctx), e.cache.code.Close(ctx))
}
