package script

import (
	_ "embed"
	"slices"
	"time"

	"github.com/dop251/goja"
)

//go:embed prelude.js
var preludeSource string

// preludeProgram removes what is not offered; it is shared by all VMs.
var preludeProgram = goja.MustCompile("prelude.js", preludeSource, true)

// prepare makes the VM deterministic and takes away what a guest must not have.
func (in *instance) prepare() {
	in.fuel = startFuel
	in.vm.SetMaxCallStackSize(in.budget.Stack)
	in.vm.SetTimeSource(func() time.Time { return in.message.Ingested })
	in.vm.SetRandSource(func() float64 { return in.random.float64() })
	in.vm.SetPromiseRejectionTracker(in.trackRejection)
	in.must(in.vm.Set("console", in.console()))
	in.guard()
	in.seal(in.prelude())
	in.freeze(in.vm.GlobalObject())
}

// prelude runs prelude.js and returns the objects from which all others are reached.
func (in *instance) prelude() []*goja.Object {
	allow := in.module.settings.Allow
	host := in.vm.NewObject()
	for name, value := range map[string]any{
		"source": in.vm.ToValue(func(call goja.FunctionCall) goja.Value {
			v := in.iterated(call.Argument(0))
			n, _ := in.elements(v)
			in.allocate(n * memberPrice)
			return v
		}),
		"pattern":     in.vm.ToValue(in.checkPattern),
		"errorPaid":   in.vm.ToValue(in.payForError),
		"bigint":      in.vm.ToValue(in.bigintOf),
		"buffer":      in.vm.ToValue(in.bufferOf),
		"bigints":     slices.Contains(allow, "bigint"),
		"typedArrays": slices.Contains(allow, "typed_arrays"),
	} {
		in.must(host.Set(name, value))
	}
	function, err := in.vm.RunProgram(preludeProgram)
	in.must(err)
	run, _ := goja.AssertFunction(function)
	found, err := run(goja.Undefined(), host)
	in.must(err)
	in.forgetSymbols, _ = goja.AssertFunction(host.Get("forget"))
	in.frame = in.nativeOf(host.Get("frame"))
	list := found.ToObject(in.vm)
	roots := make([]*goja.Object, list.Get("length").ToInteger())
	for i := range roots {
		roots[i] = list.Get(indexName(i)).ToObject(in.vm)
	}
	return roots
}

// errorPrice is what making an Error costs: it keeps a copy of the call stack.
const errorPrice = 100

func (in *instance) payForError(goja.FunctionCall) goja.Value {
	in.spend(errorPrice)
	return goja.Undefined()
}

// freeze is Object.freeze as it was at first.
func (in *instance) freeze(o *goja.Object) {
	in.freezeObject(goja.FunctionCall{Arguments: []goja.Value{o}})
}

// must panics on an error that only a bug of this package can cause.
func (in *instance) must(err error) {
	if err != nil {
		panic("script: prepare the VM: " + err.Error())
	}
}

// native makes a function with a name and a length like a built-in's, which is counted (nest.go).
func (in *instance) native(name string, length int, f func(goja.FunctionCall) goja.Value) *goja.Object {
	o := in.vm.ToValue(in.nested(f)).(*goja.Object)
	in.must(o.DefineDataProperty("name", in.vm.ToValue(name), goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE))
	in.must(o.DefineDataProperty("length", in.vm.ToValue(length), goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE))
	return o
}

// configure makes the guest's second argument.
func (in *instance) configure() error {
	ctx := in.vm.NewObject()
	config := in.module.settings.Config
	if len(config) == 0 {
		config = []byte(`{"constants":{},"parameters":{}}`)
	}
	parse, _ := goja.AssertFunction(in.vm.Get("JSON").ToObject(in.vm).Get("parse"))
	parsed, err := parse(goja.Undefined(), in.vm.ToValue(string(config)))
	if err != nil {
		return err
	}
	object := parsed.ToObject(in.vm)
	for _, name := range []string{"constants", "parameters"} {
		value := object.Get(name)
		if value == nil || goja.IsNull(value) {
			value = in.vm.NewObject()
		}
		in.deepFreeze(value)
		in.must(ctx.Set(name, value))
	}
	log := in.native("log", 0, in.logFunction("info"))
	for name, level := range logLevels {
		in.must(log.Set(name, in.native(name, 0, in.logFunction(level))))
	}
	in.freeze(log)
	in.must(ctx.Set("log", log))
	in.ctx = ctx
	in.freeze(ctx)
	return nil
}

// deepFreeze freezes plain JSON. Its depth is that of the document, which is bounded.
func (in *instance) deepFreeze(v goja.Value) {
	if o, ok := v.(*goja.Object); ok {
		for _, name := range o.Keys() {
			in.deepFreeze(o.Get(name))
		}
		in.freeze(o)
	}
}

// trackRejection keeps the promises that were rejected while nobody listened.
func (in *instance) trackRejection(p *goja.Promise, op goja.PromiseRejectionOperation) {
	if op == goja.PromiseRejectionReject {
		in.rejections = append(in.rejections, p)
		return
	}
	in.handled(p)
}

func (in *instance) handled(p *goja.Promise) {
	for i, known := range in.rejections {
		if known == p {
			in.rejections = append(in.rejections[:i], in.rejections[i+1:]...)
			return
		}
	}
}

// unhandled is the failure of a promise that was rejected and that nobody awaited.
func (in *instance) unhandled() error {
	if len(in.rejections) == 0 {
		return nil
	}
	return &thrown{value: in.rejections[0].Result(), note: "a promise was rejected and nobody awaited it"}
}
