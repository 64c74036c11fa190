package wasm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/leat-run/leat/flavors/wasm/meter"
	"github.com/leat-run/leat/runtime"
)

// maxModuleBytes bounds what is compiled at all.
const maxModuleBytes = 64 << 20

// module is one compiled guest. It is immutable, but for its spare instance.
type module struct {
	name     string
	engine   *engine
	compiled wazero.CompiledModule
	settings runtime.Settings
	config   string // settings.Config, as the guest sees it
	entry    entry
	stage    runtime.Entry // handle or fold; empty for a transform
	digest   string
	image    *image // the state after the start; nil if it cannot be brought back
	spares   *spares

	// For a profile only; nil and unused otherwise.
	profile  *runtime.FuelProfile
	names    map[uint32]string // of the functions, by their index after rewriting
	appended uint32            // index of the first function that the meter appended
}

// load turns bytes into a module, or says why it cannot.
func (e *engine) load(ctx context.Context, code runtime.Code, settings runtime.Settings, profile *runtime.FuelProfile) (*module, error) {
	if len(code.Bytes) > maxModuleBytes {
		return nil, loadFault("strip it: wasm-strip, go build -ldflags=\"-s -w\", or wasm-opt -Oz",
			"the module has %s, more than %s", byteSize(int64(len(code.Bytes))), byteSize(maxModuleBytes))
	}
	p, err := previewModule(code.Bytes)
	if err != nil {
		return nil, err
	}
	entry, err := p.checkContract(settings, code)
	if err != nil {
		return nil, err
	}
	content := newFingerprint(code.Bytes)
	rewritten, version, err := e.cache.rewrite(code.Bytes, content, meter.Options{Attributed: profile != nil})
	if err != nil {
		return nil, faultRefused(err)
	}
	m := &module{
		name: code.Name, engine: e, settings: settings, config: string(settings.Config), entry: entry, stage: code.Entry,
		digest: digest(content, code, settings, version),
	}
	m.spares = newSpares(m.start)
	if profile != nil {
		m.profile, m.names, m.appended = profile, map[uint32]string{}, uint32(p.functionCount()+meter.AddedImports)
		ctx = experimental.WithFunctionListenerFactory(ctx, m)
	}
	if m.compiled, err = e.compile(ctx, rewritten); err != nil {
		return nil, err
	}
	return m, m.prepare(ctx)
}

// compile makes machine code. wazero's validator is known to panic on some malformed
// modules, so that a panic is a refusal here and not the end of the process. It has no time
// limit: the compiler looks at no context within a function, and a goroutine left behind
// would have no owner. What it takes is bounded instead, the same on every machine, by
// maxModuleBytes and by the meter's estimate of branches and locals (meter/effort.go). That
// it looks at the context between functions when it has several workers is no way out: a
// panic in one of its goroutines could not be caught.
func (e *engine) compile(ctx context.Context, module []byte) (compiled wazero.CompiledModule, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = faultMalformed("code section", fmt.Sprint(r))
		}
	}()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	compiled, err = e.vm.CompileModule(ctx, module)
	if err != nil && e.cache.dir != "" { // the entry on disk may be what is wrong
		e.cache.forget()
		compiled, err = e.vm.CompileModule(ctx, module)
	}
	if err != nil {
		return nil, loadFault("build the module again; if it is valid elsewhere, it may use a feature beyond core WebAssembly 2.0",
			"the module is not valid: %v", err)
	}
	return compiled, nil
}

// prepare starts one instance, which proves that the module starts, and keeps it.
func (m *module) prepare(ctx context.Context) error {
	if m.entry.transform == "" {
		return nil // a command runs its code on messages only
	}
	i, err := m.start(ctx)
	if err != nil {
		return errors.Join(err, m.compiled.Close(context.Background()))
	}
	if m.image = i.snapshot(); m.image != nil && !i.adopt(m.image) {
		return errors.Join(errNoMemory, i.Close(), m.Close())
	}
	m.spares.put(i)
	return nil
}

func digest(content fingerprint, code runtime.Code, settings runtime.Settings, rewriter string) string {
	rest, _ := json.Marshal(struct { // plain data: never fails
		Function, Entry, Rewriter string
		Settings                  runtime.Settings
	}{code.Function, string(code.Entry), rewriter, settings})
	return "sha256:" + content.with(string(rest))
}

// Digest identifies the code and all that changes its results.
func (m *module) Digest() string { return m.digest }

// Warnings says where budget.stack promises more than there is.
func (m *module) Warnings() []runtime.Warning {
	stack := m.settings.Budget.Stack
	switch {
	case m.engine.interpreted && stack > interpreterFrames:
		return []runtime.Warning{{
			Code:    "stack-interpreter",
			Message: fmt.Sprintf("budget.stack is %d, but on this processor guests are interpreted, and end at %d nested calls", stack, interpreterFrames),
			Hint:    fmt.Sprintf("say `stack: %d`, so that a deep message fails alike on every machine", interpreterFrames), File: m.name,
		}}
	case stack > meter.MaxStack:
		return []runtime.Warning{{
			Code:    "stack-bound",
			Message: fmt.Sprintf("budget.stack is %d, but calls nest at most %d deep", stack, meter.MaxStack),
			Hint:    fmt.Sprintf("say `stack: %d` or less", meter.MaxStack), File: m.name,
		}}
	}
	return nil
}

// Instantiate returns an instance that is ready, or starts one.
func (m *module) Instantiate(ctx context.Context, host runtime.Host) (runtime.Transform, error) {
	switch {
	case m.entry.transform == "":
		return &command{module: m, host: host}, nil
	case m.settings.State == runtime.StateFresh:
		return &fresh{module: m, host: host}, nil
	}
	return m.take(ctx, host)
}

// Close releases the code and the spare. REQUIRES: every other instance is closed.
func (m *module) Close() error {
	err := m.spares.close()
	if m.image != nil {
		m.image.memory.close()
	}
	return errors.Join(err, m.compiled.Close(context.Background()))
}
