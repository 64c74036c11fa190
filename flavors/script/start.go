package script

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dop251/goja"

	"github.com/leat-run/leat/runtime"
)

// absent are the globals that a guest does not get: each can make code that the checks
// of Compile never saw, or memory that no budget counts.
var absent = []string{"eval", "Function", "Proxy"}

// optional are the globals that a node can ask for with `allow`.
var optional = map[string][]string{
	"bigint": {"BigInt", "BigInt64Array", "BigUint64Array"},
	"typed_arrays": {
		"ArrayBuffer", "DataView", "Int8Array", "Uint8Array", "Uint8ClampedArray", "Int16Array", "Uint16Array",
		"Int32Array", "Uint32Array", "Float32Array", "Float64Array",
	},
}

// prepare makes the VM a guest's: bounded, deterministic, without what no guest gets.
func (in *instance) prepare() {
	in.vm.SetMaxCallStackSize(in.budget.Stack)
	in.vm.SetTimeSource(func() time.Time { return in.message.Ingested })
	in.vm.SetRandSource(func() float64 { return in.random.float64() })
	in.vm.SetPromiseRejectionTracker(in.track)
	global := in.vm.GlobalObject()
	for _, name := range absent {
		in.must(global.Delete(name))
	}
	for feature, names := range optional {
		if !slices.Contains(in.module.settings.Allow, feature) {
			for _, name := range names {
				in.must(global.Delete(name))
			}
		}
	}
	in.must(global.Set("console", in.console()))
	in.must(global.Set(exportsName, goja.Undefined()))
	_, err := in.vm.RunProgram(freeze)
	in.must(err)
}

// start runs the module body and finds the entry point, under the node's budget.
func (in *instance) start(ctx context.Context) error {
	started := time.Now()
	in.begin(runtime.Message{ID: in.module.digest, Ingested: time.Unix(0, 0).UTC()})
	in.watched.arm(ctx, started)
	err := in.guarded(func() error {
		in.ctx = in.context()
		return in.restart()
	})
	late := in.watched.disarm()
	if err == nil {
		return nil
	}
	failed := in.failure(ctx, err, late)
	if f, ok := failed.(*runtime.Failure); ok {
		f.Kind = runtime.KindCompile
	}
	return failed
}

// restart runs the module body anew: every module-level binding gets its initial value.
func (in *instance) restart() error {
	if _, err := in.vm.RunProgram(in.module.program); err != nil {
		return err
	}
	exports, _ := in.vm.GlobalObject().Get(exportsName).(*goja.Object)
	entry, name := in.findEntry(exports)
	if entry == nil {
		return in.noEntry(exports, name)
	}
	in.entry = entry
	return nil
}

// findEntry looks for the function that the node names, or default, or transform.
func (in *instance) findEntry(exports *goja.Object) (goja.Callable, string) {
	names := []string{"default", "transform"}
	if f := in.module.code.Function; f != "" {
		names = []string{f}
	}
	if exports != nil {
		for _, name := range names {
			if call, ok := goja.AssertFunction(exports.Get(name)); ok {
				return call, name
			}
		}
	}
	return nil, names[0]
}

func (in *instance) noEntry(exports *goja.Object, wanted string) error {
	message := fmt.Sprintf("the script exports no function %q", wanted)
	if exports != nil {
		if keys := exports.Keys(); len(keys) > 0 {
			message += "; it exports " + strings.Join(keys, ", ")
		}
	}
	return &limit{kind: runtime.KindCompile, message: message, hint: "write: export default function (msg) { return msg }"}
}

// context makes the guest's second argument: constants, parameters, log.
func (in *instance) context() goja.Value {
	o := in.vm.NewObject()
	config := in.module.settings.Config
	if len(config) == 0 {
		config = []byte(`{"constants":{},"parameters":{}}`)
	}
	parse, _ := goja.AssertFunction(in.vm.GlobalObject().Get("JSON").(*goja.Object).Get("parse"))
	parsed, err := parse(goja.Undefined(), in.vm.ToValue(string(config)))
	in.must(err)
	for _, name := range []string{"constants", "parameters"} {
		in.must(o.Set(name, parsed.(*goja.Object).Get(name)))
	}
	in.must(o.Set("log", in.console()))
	return o
}

// native makes a function of the guest's world.
func (in *instance) native(name string, _ int, f func(goja.FunctionCall) goja.Value) goja.Value {
	v := in.vm.ToValue(f).(*goja.Object)
	in.must(v.DefineDataProperty("name", in.vm.ToValue(name), goja.FLAG_FALSE, goja.FLAG_FALSE, goja.FLAG_TRUE))
	return v
}

// must panics on what cannot fail on a fresh VM.
func (in *instance) must(err error) {
	if err != nil {
		panic(fmt.Sprintf("script: preparing a VM: %v", err))
	}
}

// track keeps the promises that were rejected and that nobody handled yet.
func (in *instance) track(p *goja.Promise, operation goja.PromiseRejectionOperation) {
	if operation == goja.PromiseRejectionReject {
		in.rejections = append(in.rejections, p)
		return
	}
	in.handled(p)
}

// handled forgets a rejection that was looked at.
func (in *instance) handled(p *goja.Promise) {
	in.rejections = slices.DeleteFunc(in.rejections, func(q *goja.Promise) bool { return q == p })
}

// unhandled reports a rejection that nobody awaited (C12).
func (in *instance) unhandled() error {
	if len(in.rejections) == 0 {
		return nil
	}
	return &thrown{value: in.rejections[0].Result(), note: "a promise was rejected and nobody awaited it"}
}
