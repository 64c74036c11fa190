package pipeline

import (
	"slices"
	"strings"
	"time"

	"github.com/leat-run/leat/engine/pipeline/document"
	"github.com/leat-run/leat/runtime"
)

// The tables of what runs a guest: a transform here, the fold or handler of a stage.

// Names of the plugins of a transform.
const (
	flavorScript = "script"
	flavorWasm   = "wasm"
	flavorSplit  = "split"
)

// abiReactor is the default of abi, and all that a stage knows.
const abiReactor = "reactor"

func transformShape(c Catalog) *document.Shape {
	choices := flavorShapes(c)
	choices[flavorSplit] = &document.Shape{Noun: "split", Doc: "One message per element of a JSON array.", Fields: []Field{
		{Name: "path", Type: String, Default: "", Doc: "dotted path of the array inside the payload; not given: the payload itself"},
	}}
	fields := append([]Field{
		fromField(),
		{Name: "workers", Type: Int, Default: int64(1), Min: 1, Max: 256, Doc: "instances that work side by side"},
		{Name: "order", Type: String, Default: "keep", Enum: []string{"keep", "none"}, Doc: "keep emits in the order of arrival, whatever the workers"},
		{Name: "partition_by", Type: document.Expression, Doc: "CEL: messages of one key go to one worker"},
		{Name: "isolation", Type: String, Default: string(IsolationNone), Enum: []string{string(IsolationNone), string(IsolationProcess)}, Doc: "process runs the guest in a child process with hard limits"},
	}, guestFields(runtime.StateReuse)...)
	return &document.Shape{
		Noun: "transform", Choices: choices, Fields: fields,
		Refused: onTheEdge(map[string]string{"decoder": "decoders belong to sources", "encoder": "encoders belong to sinks"}),
	}
}

// TransformSpecs are the plugins of transforms, with the keys inside each; Doc names those beside it.
func TransformSpecs(c Catalog) map[string]Spec {
	shape := transformShape(c)
	specs := map[string]Spec{}
	for name, plugin := range shape.Choices {
		var beside []string
		for _, f := range shape.Fields {
			if !slices.Contains(foreignKeys[name], f.Name) {
				beside = append(beside, f.Name)
			}
		}
		specs[name] = Spec{Doc: plugin.Doc + " Keys beside it: " + strings.Join(beside, ", ") + ".", Fields: plugin.Fields}
	}
	return specs
}

// flavorShapes are the plugin keys that name a guest.
func flavorShapes(c Catalog) map[string]*document.Shape {
	function := Field{Name: "function", Type: String, Default: "", Doc: "the entry point; not given: the flavor's own"}
	all := map[string]*document.Shape{
		flavorScript: {Noun: "script", Doc: "JavaScript or TypeScript.", Fields: []Field{
			{Name: "file", Type: String, Doc: "path of the module"},
			{Name: "source", Type: String, Literal: true, Doc: "the code itself; ${...} in it is the script's own"},
			function,
		}},
		flavorWasm: {Noun: "wasm", Doc: "A WebAssembly module.", Fields: []Field{
			{Name: "module", Type: String, Required: true, Doc: "write wasm: {module: file.wasm}"},
			function,
		}},
	}
	for name := range all {
		if _, ok := c.Flavors[name]; !ok {
			delete(all, name)
		}
	}
	return all
}

// guestFields are the keys beside a guest's plugin key. Those that only one flavor has are
// checked by the loader (foreignKeys).
func guestFields(state runtime.State) []Field {
	return []Field{
		{Name: "budget", Type: document.Mapping, Doc: "what one call may spend", Shape: budgetShape()},
		{Name: "state", Type: String, Default: string(state), Enum: []string{string(runtime.StateReuse), string(runtime.StateFresh)}, Doc: "fresh gives every message the instance's initial state"},
		{Name: "integers", Type: String, Default: "error", Enum: []string{"error", "string", "lossy"}, Doc: "script: what assigning an integer beyond 2^53 does"},
		{Name: "allow", Type: Strings, Enum: []string{"bigint", "typed_arrays"}, Doc: "script: features that are absent otherwise"},
		{Name: "abi", Type: String, Default: abiReactor, Enum: []string{abiReactor, "command"}, Doc: "wasm: command runs the module once per message, stdin to stdout"},
	}
}

// foreignKeys are the keys of guestFields that a plugin has no use for.
var foreignKeys = map[string][]string{
	flavorScript: {"abi"},
	flavorWasm:   {"integers", "allow"},
	flavorSplit:  {"budget", "state", "isolation", "integers", "allow", "abi"},
}

// budgetShape has no defaults of its own: they are the flavor's (runtime.Flavor.Defaults).
func budgetShape() *document.Shape {
	const millisecond = int64(time.Millisecond)
	return &document.Shape{Noun: "budget", Fields: []Field{
		{Name: "fuel", Type: Int, Min: 1, Max: noLimit, Doc: "units of work; the flavor's default: script 10,000,000, wasm 1,000,000,000"},
		{Name: "timeout", Type: DurationType, Min: millisecond, Max: noLimit, Doc: "wall clock of one call (1s)"},
		{Name: "memory", Type: Size, Min: 64 << 10, Max: noLimit, Doc: "bytes that an instance may hold (64MiB)"},
		{Name: "stack", Type: Int, Min: 1, Max: 1_000_000, Doc: "call depth; script 256, wasm 10,000"},
		{Name: "input", Type: Size, Min: 1, Max: noLimit, Doc: "bytes of the payload that is given to the guest (8MiB)"},
		{Name: "output", Type: Size, Min: 1, Max: noLimit, Doc: "bytes of all payloads of one call (8MiB)"},
		{Name: "outputs", Type: Int, Min: 1, Max: noLimit, Doc: "messages of one call (10,000)"},
		{Name: "depth", Type: Int, Min: 1, Max: 100_000, Doc: "nesting of JSON, in and out (512)"},
		{Name: "log", Type: Size, Min: 1, Max: noLimit, Doc: "bytes that a guest may log in one call (16KiB)"},
	}}
}

// budgetOf is the budget as written, with the flavor's defaults where nothing is.
func budgetOf(o *document.Object, defaults runtime.Budget) runtime.Budget {
	return runtime.Budget{
		Fuel: o.Int("fuel"), Timeout: o.Duration("timeout"), Memory: o.Int("memory"), Stack: int(o.Int("stack")),
		Input: o.Int("input"), Output: o.Int("output"), Outputs: int(o.Int("outputs")), Depth: int(o.Int("depth")), Log: o.Int("log"),
	}.Or(defaults).Or(runtime.SharedDefaults())
}
