package script

import (
	"slices"

	"github.com/dop251/goja"
)

// guard wraps the natives that burn time or memory without bytecode: each pays before
// it runs. It also removes what cannot be bounded.
func (in *instance) guard() {
	in.hostFunctions()
	in.guardStrings()
	in.guardArrays()
	in.guardCalls()
	in.guardIterators()
	in.guardRegexps()
	if !slices.Contains(in.module.settings.Allow, "bigint") {
		in.remove("BigInt")
	}
	if !slices.Contains(in.module.settings.Allow, "typed_arrays") {
		in.remove("ArrayBuffer", "DataView", "Int8Array", "Uint8Array", "Uint8ClampedArray", "Int16Array", "Uint16Array",
			"Int32Array", "Uint32Array", "Float32Array", "Float64Array", "BigInt64Array", "BigUint64Array")
	}
}

func (in *instance) remove(names ...string) {
	for _, name := range names {
		in.must(in.vm.GlobalObject().Delete(name))
	}
}

// hostFunctions makes what rewritten code calls (ticks.go).
func (in *instance) hostFunctions() {
	tick := in.vm.ToValue(func(call goja.FunctionCall) goja.Value {
		if in.fuel -= call.Arguments[0].ToInteger(); in.fuel < 0 {
			in.vm.Interrupt(in.outOfFuel())
		}
		return goja.Undefined()
	})
	size := in.vm.ToValue(func(call goja.FunctionCall) goja.Value {
		in.checkString(call.Arguments[0])
		return call.Arguments[0]
	})
	part := in.vm.ToValue(func(call goja.FunctionCall) goja.Value {
		text := call.Arguments[0].ToString()
		if s, ok := text.(goja.String); ok {
			in.stringOfLength(int64(s.Length()) * call.Arguments[1].ToInteger())
		}
		return text
	})
	source := in.vm.ToValue(func(call goja.FunctionCall) goja.Value {
		return in.iterated(call.Arguments[0])
	})
	in.must(in.vm.Set("leat_source", source)) // freeze.js takes it and deletes the name
	literal := in.vm.ToValue(func(call goja.FunctionCall) goja.Value {
		o := call.Arguments[1].(*goja.Object)
		in.knowPattern(o, in.module.patterns[call.Arguments[0].ToInteger()])
		return o
	})
	in.must(in.vm.Set("leat_pattern", in.checkPattern))
	in.tick = []goja.Value{tick, size, part, source, literal}
}

// maxString is the most characters that one string may have.
func (in *instance) maxString() int64 { return in.budget.Memory / 8 }

// checkString ends the guest when a string that was just built is beyond the cap.
func (in *instance) checkString(v goja.Value) {
	if s, ok := v.(goja.String); ok {
		in.stringOfLength(int64(s.Length()))
	}
}

// stringOfLength pays for a string of so many characters.
func (in *instance) stringOfLength(n int64) {
	if n > in.maxString() {
		in.stop(tooLong(n, in.maxString()))
	}
	if n > 256 {
		in.spend(n >> 4)
	}
}

// payFor charges for walking an array or a string once, natively.
func (in *instance) payFor(v goja.Value) {
	switch x := v.(type) {
	case goja.String:
		in.spend(int64(x.Length()) >> 2)
	case *goja.Object:
		if n := in.lengthOf(x); n > 0 {
			in.allocate(n * 16)
			in.spend(n >> 2)
		}
	}
}

// lengthOf returns the length of an array or an array-like, as long as it is plain
// data: a length that is computed could be another one when the native reads it.
func (in *instance) lengthOf(o *goja.Object) int64 {
	if view, ok := viewOf(o).(*arrayView); ok {
		return int64(view.Len())
	}
	if o.ClassName() != "Array" && o.ClassName() != "Arguments" {
		return in.plainLength(o)
	}
	return o.Get("length").ToInteger()
}

func (in *instance) plainLength(o *goja.Object) int64 {
	d, err := in.describeProperty(goja.Undefined(), o, in.lengthName)
	if err != nil {
		return 0
	}
	descriptor, ok := d.(*goja.Object)
	if !ok {
		if o.Get("length") != nil {
			panic(in.vm.NewTypeError("this native takes no object whose length is inherited"))
		}
		return 0
	}
	value := descriptor.Get("value")
	if _, isObject := value.(*goja.Object); isObject || value == nil {
		panic(in.vm.NewTypeError("this native takes no object whose length is computed"))
	}
	return max(value.ToInteger(), 0)
}

// wrap replaces a native by one that pays first.
func (in *instance) wrap(owner *goja.Object, name string, pay func(goja.FunctionCall)) {
	value, ok := owner.Get(name).(*goja.Object)
	if !ok {
		return
	}
	f, ok := value.Export().(func(goja.FunctionCall) goja.Value)
	if !ok {
		return
	}
	length := int(value.Get("length").ToInteger())
	wrapped := in.native(name, length, func(call goja.FunctionCall) goja.Value {
		pay(call)
		return f(call)
	})
	in.must(owner.DefineDataProperty(name, wrapped, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE))
}

// define puts a function of ours in the place of a built-in.
func (in *instance) define(owner *goja.Object, name string, length int, f nativeFunction) {
	in.must(owner.DefineDataProperty(name, in.native(name, length, f), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE))
}

// prototype returns NAME.prototype.
func (in *instance) prototype(name string) *goja.Object {
	return in.vm.Get(name).ToObject(in.vm).Get("prototype").ToObject(in.vm)
}

func (in *instance) guardStrings() {
	proto := in.prototype("String")
	in.indexOf = in.nativeOf(proto.Get("indexOf"))
	walk := func(call goja.FunctionCall) { in.payFor(call.This) }
	for _, name := range []string{
		"concat", "endsWith", "includes", "indexOf", "lastIndexOf", "normalize", "slice", "split", "startsWith",
		"substring", "toLowerCase", "toUpperCase", "toLocaleLowerCase", "toLocaleUpperCase", "trim", "trimEnd", "trimStart", "localeCompare",
	} {
		in.wrap(proto, name, walk)
	}
	in.wrap(proto, "repeat", func(call goja.FunctionCall) {
		if s, ok := call.This.(goja.String); ok {
			n := call.Argument(0).ToInteger()
			if n > 0 && n > in.maxString() && s.Length() > 0 {
				in.stop(tooLong(n, in.maxString()))
			}
			in.stringOfLength(n * int64(s.Length()))
		}
	})
	pad := func(call goja.FunctionCall) { in.stringOfLength(call.Argument(0).ToInteger()) }
	in.wrap(proto, "padStart", pad)
	in.wrap(proto, "padEnd", pad)
	in.define(proto, "replace", 2, in.stringReplace(false))
	in.define(proto, "replaceAll", 2, in.stringReplace(true))
}

func (in *instance) guardArrays() {
	proto := in.prototype("Array")
	this := func(call goja.FunctionCall) { in.payFor(call.This) }
	for _, name := range proto.GetOwnPropertyNames() {
		switch name {
		case "constructor", "push", "pop", "at", "keys", "values", "entries", "length":
		case "concat":
			in.wrap(proto, name, func(call goja.FunctionCall) {
				in.payFor(call.This)
				for _, arg := range call.Arguments {
					if o, ok := arg.(*goja.Object); ok { // Symbol.isConcatSpreadable makes any object count
						in.payFor(o)
					}
				}
			})
		case "flat":
			in.wrap(proto, name, func(call goja.FunctionCall) {
				depth := int64(1)
				if d := call.Argument(0); !goja.IsUndefined(d) {
					depth = d.ToInteger()
				}
				if depth > 64 {
					panic(in.vm.NewTypeError("flat takes a depth of at most 64 here"))
				}
				if o, ok := call.This.(*goja.Object); ok {
					in.payForFlat(o, depth)
				}
			})
		case "join", "toString":
			in.wrap(proto, name, in.payForJoin)
		default:
			in.wrap(proto, name, this)
		}
	}
}

// payForJoin walks what a join would write, up to the cap of one string.
func (in *instance) payForJoin(call goja.FunctionCall) {
	o, ok := call.This.(*goja.Object)
	if !ok {
		return
	}
	in.payFor(o)
	n := in.lengthOf(o)
	if n == 0 {
		return
	}
	separator := int64(1)
	if s, ok := call.Argument(0).(goja.String); ok {
		separator = int64(s.Length())
	}
	total := (n - 1) * separator
	for i := int64(0); i < n && total <= in.maxString(); i++ {
		if s, ok := o.Get(indexName(int(i))).(goja.String); ok {
			total += int64(s.Length())
		}
	}
	in.stringOfLength(total)
}

func (in *instance) guardCalls() {
	proto := in.prototype("Function")
	in.wrap(proto, "apply", func(call goja.FunctionCall) { in.payFor(call.Argument(1)) })
	in.wrap(proto, "bind", func(goja.FunctionCall) { in.spend(200) })
	reflect := in.vm.Get("Reflect").ToObject(in.vm)
	in.wrap(reflect, "apply", func(call goja.FunctionCall) { in.payFor(call.Argument(2)) })
	in.wrap(reflect, "construct", func(call goja.FunctionCall) { in.payFor(call.Argument(1)) })
	object := in.vm.Get("Object").ToObject(in.vm)
	get, _ := goja.AssertFunction(object.Get("getOwnPropertyDescriptor"))
	in.describeProperty, in.lengthName = get, in.vm.ToValue("length")
	json := in.vm.Get("JSON").ToObject(in.vm)
	in.wrap(json, "parse", func(call goja.FunctionCall) { in.checkJSON(call.Argument(0)) })
	in.wrap(json, "stringify", in.payForStringify)
}

// payForStringify charges for writing a value; what is too deep throws here, since
// goja's own writer recurses.
func (in *instance) payForStringify(call goja.FunctionCall) {
	o, ok := call.Argument(0).(*goja.Object)
	if !ok || o.ClassName() == "Error" {
		return
	}
	sub := encoder{in: in}
	if l := attempt(func() { sub.payload(o) }); l != nil && l.limit > 0 {
		panic(in.vm.NewTypeError("JSON.stringify: %s", l.message))
	}
}

// checkJSON refuses text that nests too deep for goja's parser.
func (in *instance) checkJSON(v goja.Value) {
	s, ok := v.(goja.String)
	if !ok {
		return
	}
	in.allocate(int64(s.Length()) * 8)
	depth, quoted := 0, false
	text := s.String()
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			if depth++; depth > in.budget.Depth {
				panic(in.vm.NewTypeError("JSON.parse: the text nests deeper than %d", in.budget.Depth))
			}
		case c == '}' || c == ']':
			depth--
		}
	}
}
