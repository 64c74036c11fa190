package script

import (
	"math"
	"strconv"

	"github.com/dop251/goja"
)

// native writes an object that the script made, by its class.
func (e *encoder) native(o *goja.Object) {
	if e.toJSON(o) {
		return
	}
	switch class := classOf(o); class {
	case "Object":
		if o.ExportType() == typePromise {
			e.fail("a promise", "await it")
		}
		e.members(o)
	case "Array":
		e.elements(o)
	case "Boolean", "Number", "String":
		e.value(e.in.vm.ToValue(o.Export())) // the wrapped primitive; runs no guest code
	case "Date":
		e.fail("an invalid date", "check the text that the date was made from")
	default:
		what, hint := refusal(class)
		e.fail(what, hint)
	}
}

// classOf returns an object's class; generators are of class Object to goja, and known
// by their tag.
func classOf(o *goja.Object) string {
	class := o.ClassName()
	if class != "Object" {
		return class
	}
	if tag, ok := o.GetSymbol(goja.SymToStringTag).(goja.String); ok && tag.String() == "Generator" {
		return "Generator"
	}
	return class
}

// refusals says why an object of a class is no JSON, and what to write instead.
var refusals = map[string][2]string{
	"Function":  {"a function", "a payload is JSON: call it, or leave it out"},
	"Map":       {"a Map", "write Object.fromEntries(map)"},
	"Set":       {"a Set", "write [...set]"},
	"RegExp":    {"a regular expression", "write String(re)"},
	"Error":     {"an Error", "write {name: e.name, message: e.message}"},
	"Promise":   {"a promise", "await it"},
	"Generator": {"a generator", "write [...generator]"},
	"Arguments": {"an arguments object", "write [...arguments]"},
	"Symbol":    {"a symbol", "a payload is JSON: write a string"},
	"BigInt":    {"a BigInt", "write Number(x) or String(x)"},
}

func refusal(class string) (what, hint string) {
	if r, ok := refusals[class]; ok {
		return r[0], r[1]
	}
	return "an object of class " + class, "a payload is JSON: write plain objects and arrays"
}

// toJSON writes what a toJSON method returns, if there is one; a valid date has one by
// birth. It reports false where the object itself is to be written.
func (e *encoder) toJSON(o *goja.Object) bool {
	method, ok := goja.AssertFunction(o.Get("toJSON"))
	if !ok {
		return false
	}
	if o.ClassName() == "Date" && math.IsNaN(o.ToFloat()) {
		return false
	}
	value, err := method(o, e.in.vm.ToValue(e.lastKey()))
	if err != nil {
		panic(err)
	}
	if goja.IsUndefined(value) {
		e.fail("undefined from toJSON", "return null or leave the property out")
	}
	if again, isObject := value.(*goja.Object); isObject && viewOf(again) == nil && again.ClassName() == "Object" {
		e.members(again) // toJSON is asked once
		return true
	}
	e.value(value)
	return true
}

func (e *encoder) lastKey() string {
	if len(e.path) == 0 {
		return ""
	}
	if s := e.path[len(e.path)-1]; s.name != "" {
		return s.name
	}
	return strconv.Itoa(e.path[len(e.path)-1].index)
}

// members writes the own enumerable properties of an object.
func (e *encoder) members(o *goja.Object) {
	e.buf = append(e.buf, '{')
	first := true
	for _, name := range o.Keys() {
		value := o.Get(name)
		if !e.writable(value) {
			continue
		}
		e.comma(&first)
		e.buf = appendQuoted(e.buf, name)
		e.buf = append(e.buf, ':')
		e.path = append(e.path, step{name: name})
		e.value(value)
		e.path = e.path[:len(e.path)-1]
	}
	e.buf = append(e.buf, '}')
}

// elements writes an array; a hole and undefined are null. Nothing is allocated from
// the length, which the guest can set: the output budget ends a sparse array.
func (e *encoder) elements(o *goja.Object) {
	length := o.Get("length").ToInteger()
	e.buf = append(e.buf, '[')
	first := true
	for i := int64(0); i < length; i++ {
		e.comma(&first)
		e.path = append(e.path, step{index: int(i)})
		e.value(o.Get(strconv.FormatInt(i, 10)))
		e.path = e.path[:len(e.path)-1]
	}
	e.buf = append(e.buf, ']')
}
