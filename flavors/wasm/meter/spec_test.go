package meter

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// Proves that a rewritten module means what the original did: each command of the
// WebAssembly specification's own tests, core 1.0 and 2.0, has the same outcome in two
// runtimes side by side, one fed the original modules and one the rewritten, with a chunk
// so small that hardly a function runs without asking the host. The data is in the
// engine's module; -short runs every seventh file of it, unless LEAT_SPEC=full.
func TestSpecificationUnchangedByRewriting(t *testing.T) {
	root := specData(t)
	for version, features := range map[string]api.CoreFeatures{
		"v1": api.CoreFeaturesV1, "v2": api.CoreFeaturesV2,
	} {
		scripts, err := filepath.Glob(filepath.Join(root, version, "testdata", "*.json"))
		if err != nil || len(scripts) == 0 {
			t.Fatalf("no data in %s: %v", root, err)
		}
		for engine, config := range engines() {
			total := 0
			for i, script := range scripts {
				if testing.Short() && os.Getenv("LEAT_SPEC") != "full" && i%7 != 3 {
					continue
				}
				total += runScript(t, script, config.WithCoreFeatures(features))
			}
			t.Logf("%s on the %s: %d commands, same outcome", version, engine, total)
		}
	}
}

func specData(t *testing.T) string {
	t.Helper()
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/tetratelabs/wazero").Output()
	if err != nil || len(dir) == 0 {
		t.Skipf("the engine's module is not at hand: %v", err)
	}
	return filepath.Join(strings.TrimSpace(string(dir)), "internal", "integration_test", "spectest")
}

type specCommand struct {
	Type       string
	Line       int
	Name       string
	Filename   string
	As         string
	ModuleType string `json:"module_type"`
	Action     struct {
		Type, Field, Module string
		Args                []specValue
	}
}

type specValue struct {
	Type     string
	LaneType string `json:"lane_type"`
	Value    any
}

// world is one of the two runtimes and what was instantiated in it.
type world struct {
	vm      wazero.Runtime
	rewrite bool
	named   map[string]api.Module
	last    api.Module
}

func runScript(t *testing.T, path string, config wazero.RuntimeConfig) int {
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var script struct{ Commands []specCommand }
	if err := json.Unmarshal(text, &script); err != nil {
		t.Fatal(err)
	}
	plain, metered := newWorld(t, path, config, false), newWorld(t, path, config, true)
	for i, command := range script.Commands {
		as := ""
		if i+1 < len(script.Commands) && script.Commands[i+1].Type == "register" {
			as = script.Commands[i+1].As
		}
		want := plain.run(filepath.Dir(path), command, as)
		have := metered.run(filepath.Dir(path), command, as)
		if want != have {
			t.Errorf("%s:%d %s %s: %s, with the meter %s", filepath.Base(path), command.Line, command.Type, command.Action.Field, want, have)
		}
	}
	return len(script.Commands)
}

func newWorld(t *testing.T, path string, config wazero.RuntimeConfig, rewrite bool) *world {
	t.Helper()
	ctx := context.Background()
	w := &world{vm: wazero.NewRuntimeWithConfig(ctx, config), rewrite: rewrite, named: map[string]api.Module{}}
	t.Cleanup(func() { w.vm.Close(ctx) })
	if err := provideMeter(ctx, w.vm); err != nil {
		t.Fatal(err)
	}
	spectest, err := os.ReadFile(filepath.Join(filepath.Dir(path), "..", "..", "testdata", "spectest.wasm"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.vm.InstantiateWithConfig(ctx, spectest, wazero.NewModuleConfig()); err != nil {
		t.Fatal(err)
	}
	return w
}

// run executes one command and describes its outcome.
func (w *world) run(dir string, c specCommand, as string) string {
	switch c.Type {
	case "module", "assert_malformed", "assert_invalid", "assert_unlinkable", "assert_uninstantiable":
		if c.ModuleType == "text" {
			return "text"
		}
		instance, outcome := w.instantiate(filepath.Join(dir, c.Filename), as)
		if c.Type == "module" {
			w.last = instance
			w.named[c.Name] = instance
		}
		return outcome
	case "register":
		return "registered"
	}
	instance := w.last
	if c.Action.Module != "" {
		instance = w.named[c.Action.Module]
	}
	if c.Action.Type == "get" {
		return fmt.Sprint(instance.ExportedGlobal(c.Action.Field).Get())
	}
	return w.invoke(instance, c)
}

func (w *world) context() context.Context {
	account, _ := Open(1<<60, 50, 0)
	return context.WithValue(context.Background(), callKey{}, &call{account: account})
}

func (w *world) instantiate(path, as string) (instance api.Module, outcome string) {
	defer func() { // the engine's compiler panics on some malformed modules
		if p := recover(); p != nil {
			outcome = "refused"
		}
	}()
	module, err := os.ReadFile(path)
	if err != nil {
		return nil, err.Error()
	}
	if w.rewrite {
		rewritten, err := Rewrite(module, Options{TableElements: math.MaxUint32})
		if err != nil {
			return nil, "refused"
		}
		module = rewritten.Module
	}
	instance, err = w.vm.InstantiateWithConfig(w.context(), module, wazero.NewModuleConfig().WithName(as))
	if err != nil {
		return nil, "refused"
	}
	return instance, "instantiated"
}

func (w *world) invoke(instance api.Module, c specCommand) string {
	if counter, ok := instance.ExportedGlobal(CounterExport).(api.MutableGlobal); ok {
		counter.Set(uint64(start(MaxStack)))
	}
	f := instance.ExportedFunction(c.Action.Field)
	var args []uint64
	for _, arg := range c.Action.Args {
		args = append(args, arg.bits()...)
	}
	values, err := f.Call(w.context(), args...)
	if err != nil {
		return trap(err)
	}
	return describe(values, f.Definition().ResultTypes())
}

func trap(err error) string {
	first, _, _ := strings.Cut(err.Error(), "\n")
	if errors.Is(err, errStack) || strings.Contains(first, "stack overflow") {
		return "stack"
	}
	return first
}

// describe prints the results: bits, except that any NaN is like any other, and that of
// a function only whether there is one can be told.
func describe(values []uint64, types []api.ValueType) string {
	var b strings.Builder
	at := 0
	for _, t := range types {
		v := values[at]
		at++
		switch {
		case t == api.ValueTypeF32 && math.IsNaN(float64(math.Float32frombits(uint32(v)))),
			t == api.ValueTypeF64 && math.IsNaN(math.Float64frombits(v)):
			b.WriteString(" nan")
		case t == typeFuncref:
			fmt.Fprintf(&b, " function:%t", v != 0)
		case t == api.ValueTypeI32 || t == api.ValueTypeF32:
			fmt.Fprintf(&b, " %#x", uint32(v))
		case t == typeV128:
			fmt.Fprintf(&b, " %#x:%#x", v, values[at])
			at++
		default:
			fmt.Fprintf(&b, " %#x", v)
		}
	}
	return b.String()
}

// bits returns the argument as the engine takes it.
func (v specValue) bits() []uint64 {
	lanes, ok := v.Value.([]any)
	if !ok {
		text, _ := v.Value.(string)
		n := number(text)
		if v.Type == "externref" && text != "null" {
			n++ // 0 is null here
		}
		return []uint64{n}
	}
	width := 128 / len(lanes)
	var words [2]uint64
	for i, lane := range lanes {
		text, _ := lane.(string)
		at := i * width
		words[at/64] |= number(text) & (math.MaxUint64 >> (64 - width)) << (at % 64)
	}
	return words[:]
}

func number(text string) uint64 {
	if n, err := strconv.ParseUint(text, 10, 64); err == nil {
		return n
	}
	n, _ := strconv.ParseInt(text, 10, 64)
	return uint64(n)
}
