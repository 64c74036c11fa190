package script

import "github.com/dop251/goja"

// guard replaces the natives that burn time or memory without bytecode: each pays
// before it runs (builtins.go), or is ours.
func (in *instance) guard() {
	in.hostFunctions()
	in.keepBuiltins()
	array, text := in.prototype("Array"), in.prototype("String")
	in.define(text, "replace", 2, in.stringReplace(false))
	in.define(text, "replaceAll", 2, in.stringReplace(true))
	in.define(in.vm.Get("String").ToObject(in.vm), "raw", 1, in.stringRaw)
	in.define(array, "join", 1, in.join)
	in.define(array, "toString", 0, in.arrayText)
	in.define(array, "toLocaleString", 0, in.arrayText)
	in.define(array, "flatMap", 1, in.flatMap)
	json := in.vm.Get("JSON").ToObject(in.vm)
	in.define(json, "stringify", 3, in.stringify)
	in.define(json, "parse", 2, in.jsonParse(in.nativeOf(json.Get("parse"))))
	in.guardBuiltins()
	in.guardRegexps()
	in.nestBuiltins()
}

// keepBuiltins remembers natives that the guards call.
func (in *instance) keepBuiltins() {
	in.indexOf = in.nativeOf(in.prototype("String").Get("indexOf"))
	in.freezeObject = in.nativeOf(in.builtin("Object", "freeze"))
	in.functionText = in.nativeOf(in.prototype("Function").Get("toString"))
	in.mathPow = in.nativeOf(in.builtin("Math", "pow"))
	in.describeProperty, _ = goja.AssertFunction(in.builtin("Object", "getOwnPropertyDescriptor"))
	in.lengthName = in.vm.ToValue("length")
	for class, size := range map[string]*nativeFunction{"Map": &in.mapSize, "Set": &in.setSize} {
		d := in.descriptor(in.prototype(class), &realmStep{name: "size"})
		*size = in.nativeOf(d.Get("get"))
	}
}

// hostFunctions makes what rewritten code calls (ticks.go).
func (in *instance) hostFunctions() {
	tick := in.vm.NewDynamicArray(&meter{in})
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
	literal := in.vm.ToValue(func(call goja.FunctionCall) goja.Value {
		o := call.Arguments[1].(*goja.Object)
		in.knowPattern(o, in.module.patterns[call.Arguments[0].ToInteger()])
		return o
	})
	copied := in.vm.ToValue(func(call goja.FunctionCall) goja.Value {
		in.payForMembers(call.Arguments[0])
		return call.Arguments[0]
	})
	arguments := in.vm.ToValue(func(call goja.FunctionCall) goja.Value {
		list := in.iterated(call.Arguments[0])
		in.payForArguments(list)
		return list
	})
	in.tick = []goja.Value{tick, size, part, source, literal, copied, arguments, in.vm.ToValue(in.power), in.vm.ToValue(in.shift), in.vm.ToValue(in.compared)}
}

// maxString is the most characters that one string may have.
func (in *instance) maxString() int64 { return in.budget.Memory / 8 }

// checkString ends the guest when a string that was just built is beyond the cap.
func (in *instance) checkString(v goja.Value) {
	if s, ok := v.(goja.String); ok {
		in.stringOfLength(int64(s.Length()))
	} else if n := bigOf(v); n != nil {
		in.checkBits(int64(n.BitLen()))
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

// payFor charges for iterating an array or a string once, natively.
func (in *instance) payFor(v goja.Value) {
	switch x := v.(type) {
	case goja.String:
		in.spend(4 * int64(x.Length()))
	case *goja.Object:
		if n := in.lengthOf(x); n > 0 {
			in.allocate(n * 16)
			in.spend(4 * n)
		}
	}
}

// lengthOf returns the length of an array or an array-like, as long as it is plain
// data: a length that is computed could be another one when the native reads it.
func (in *instance) lengthOf(o *goja.Object) int64 {
	if isArray(o) { // a view of one too
		return o.Get("length").ToInteger()
	}
	if n := typedLength(o); n >= 0 {
		return n
	}
	if o.ClassName() != "Arguments" {
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

// prototype returns NAME.prototype.
func (in *instance) prototype(name string) *goja.Object {
	return in.vm.Get(name).ToObject(in.vm).Get("prototype").ToObject(in.vm)
}

// parsePrice is what goja takes to parse one character of JSON.
const parsePrice = 4

// checkJSON refuses text that nests too deep for goja's parser.
func (in *instance) checkJSON(call *goja.FunctionCall) {
	if len(call.Arguments) == 0 {
		return
	}
	s := in.textArgument(call, 0)
	in.allocate(int64(s.Length()) * 8)
	in.spend(int64(s.Length()) * parsePrice)
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
