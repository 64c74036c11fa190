package script

import (
	"reflect"

	"github.com/dop251/goja"
)

var (
	typeSet    = reflect.TypeFor[[]any]()
	typeMap    = reflect.TypeFor[[][2]any]()
	typeBuffer = reflect.TypeFor[goja.ArrayBuffer]()
)

// classOf says what an object is, as far as it is no plain one. goja calls collections,
// promises, buffers and iterators "Object": they are told by what they would export, or by
// their tag. It runs no guest code but a getter of that tag.
func classOf(o *goja.Object) string {
	class := o.ClassName()
	if class != "Object" {
		return class
	}
	switch o.ExportType() {
	case typeSet:
		return "Set"
	case typeMap:
		return "Map"
	case typePromise:
		return "Promise"
	case typeBuffer:
		return "ArrayBuffer"
	}
	if typedLength(o) >= 0 {
		return "TypedArray"
	}
	if tag, ok := o.GetSymbol(goja.SymToStringTag).(goja.String); ok {
		if _, known := refusals[tag.String()]; known {
			return tag.String()
		}
	}
	return class
}

// refusals says why an object of a class is no JSON, and what to write instead.
var refusals = map[string][2]string{
	"Function": {"a function", "a payload is JSON: call it, or leave it out"},
	"Map":      {"a Map", "write Object.fromEntries(map)"},
	"Set":      {"a Set", "write [...set]"},
	"WeakMap":  {"a WeakMap", "its keys cannot be listed: use a Map"},
	"WeakSet":  {"a WeakSet", "its values cannot be listed: use a Set"},
	"DataView": {"a DataView", "read the numbers out of it"},

	"ArrayBuffer": {"an ArrayBuffer", "write [...new Uint8Array(buffer)], or a text in base64"},
	"TypedArray":  {"a typed array", "write [...array], or array.toBase64()"},

	"Array Iterator":  {"an iterator", "write [...iterator]"},
	"Map Iterator":    {"an iterator", "write [...iterator]"},
	"Set Iterator":    {"an iterator", "write [...iterator]"},
	"String Iterator": {"an iterator", "write [...iterator]"},
	"RegExp":          {"a regular expression", "write String(re)"},
	"Error":           {"an Error", "write {name: e.name, message: e.message}"},
	"Promise":         {"a promise", "await it"},
	"Generator":       {"a generator", "write [...generator]"},
	"Arguments":       {"an arguments object", "write [...arguments]"},
	"Symbol":          {"a symbol", "a payload is JSON: write a string"},
	"BigInt":          {"a BigInt", "write Number(x) or String(x)"},
}

func refusal(class string) (what, hint string) {
	if r, ok := refusals[class]; ok {
		return r[0], r[1]
	}
	return "an object of class " + class, "a payload is JSON: write plain objects and arrays"
}
