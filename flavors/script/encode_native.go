package script

import (
	"math"
	"strconv"

	"github.com/dop251/goja"
)

// native writes an object that the script made, by its class.
func (e *encoder) native(o *goja.Object) {
	if !e.lenient && e.toJSON(o) {
		return
	}
	switch class := classOf(o); class {
	case "Object":
		e.members(o)
	case "RawJSON":
		text := o.Get("rawJSON").String()
		e.room(len(text))
		e.word(text)
	case "Array":
		e.elements(o)
	case "String":
		e.value(e.in.stringOfValue(o))
	case "Boolean", "Number":
		e.value(e.in.vm.ToValue(o.Export())) // the wrapped primitive; runs no guest code
	case "Date":
		if e.lenient {
			e.word("null")
			return
		}
		e.fail("an invalid date", "check the text that the date was made from")
	default:
		if e.lenient && class != "BigInt" {
			e.members(o)
			return
		}
		what, hint := refusal(class)
		e.fail(what, hint)
	}
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
	again, isObject := value.(*goja.Object)
	switch { // toJSON is asked once
	case !isObject || viewOf(again) != nil:
		e.value(value)
	case again.ClassName() == "Object":
		e.members(again)
	case again.ClassName() == "Array":
		e.elements(again)
	default:
		e.value(value)
	}
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
	keys := e.allowed
	if keys == nil {
		keys = o.Keys()
	}
	for _, name := range keys {
		value := o.Get(name)
		if e.allowed != nil && value == nil {
			e.in.spend(1)
			continue
		}
		value = e.resolved(o, value, name)
		if !e.writable(value) {
			e.in.spend(1)
			continue
		}
		e.comma(&first)
		e.line(len(e.path) + 1)
		e.buf = appendQuoted(e.buf, name)
		if e.buf = append(e.buf, ':'); e.indent != "" {
			e.buf = append(e.buf, ' ')
		}
		e.path = append(e.path, step{name: name})
		e.value(value)
		e.path = e.path[:len(e.path)-1]
	}
	if !first {
		e.line(len(e.path))
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
		e.line(len(e.path) + 1)
		e.path = append(e.path, step{index: int(i)})
		e.element(o, o.Get(strconv.FormatInt(i, 10)), i)
		e.path = e.path[:len(e.path)-1]
	}
	if !first {
		e.line(len(e.path))
	}
	e.buf = append(e.buf, ']')
}
