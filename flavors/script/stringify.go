package script

import (
	"math"
	"strconv"
	"strings"

	"github.com/dop251/goja"
)

// stringify is JSON.stringify: one pass over the value, paid for as it goes, as deep as
// a payload may be. goja's recurses without a bound.
func (in *instance) stringify(call goja.FunctionCall) goja.Value {
	e := encoder{in: in, lenient: true}
	e.replacerOf(call.Argument(1))
	e.indentOf(call.Argument(2))
	root := call.Argument(0)
	var holder *goja.Object
	if e.replace != nil {
		holder = in.vm.NewObject()
		in.must(holder.Set("", root))
	}
	value := e.resolved(holder, root, "")
	if !e.writable(value) {
		return goja.Undefined()
	}
	return in.vm.ToValue(string(e.text(value)))
}

// replacerOf reads the second argument: a function, or a list of names.
func (e *encoder) replacerOf(v goja.Value) {
	o, ok := v.(*goja.Object)
	if !ok {
		return
	}
	if f, ok := goja.AssertFunction(o); ok {
		e.replace = f
		return
	}
	if !isArray(o) {
		return
	}
	n := e.in.lengthOf(o)
	e.in.allocate(n * memberPrice)
	e.in.spend(4 * n)
	e.allowed = []string{}
	seen := map[string]bool{}
	for i := range n {
		switch name := o.Get(indexName(int(i))); name.(type) {
		case nil, *goja.Symbol:
		default:
			if text := name.String(); !seen[text] {
				seen[text] = true
				e.allowed = append(e.allowed, text)
			}
		}
	}
}

// maxIndent is what JavaScript allows.
const maxIndent = 10

func (e *encoder) indentOf(v goja.Value) {
	if o, ok := v.(*goja.Object); ok && (o.ClassName() == "Number" || o.ClassName() == "String") {
		v = e.in.vm.ToValue(o.Export())
	}
	if s, ok := v.(goja.String); ok {
		e.indent = s.Substring(0, min(s.Length(), maxIndent)).String()
	} else if _, isObject := v.(*goja.Object); !isObject && !goja.IsUndefined(v) && !goja.IsNull(v) {
		e.indent = strings.Repeat(" ", int(min(max(v.ToInteger(), 0), maxIndent)))
	}
}

// line begins a new line in a container where there is an indent.
func (e *encoder) line(depth int) {
	if e.indent == "" {
		return
	}
	e.buf = append(e.buf, '\n')
	for range depth {
		e.buf = append(e.buf, e.indent...)
	}
	e.room(0)
}

// text is payload for JSON.stringify: what is no JSON is an exception of the script's.
func (e *encoder) text(v goja.Value) []byte {
	var text []byte
	if l := attempt(func() { text = e.payload(v) }); l != nil {
		panic(e.in.vm.NewTypeError("JSON.stringify: %s", l.message))
	}
	return text
}

// resolved is what JSON.stringify writes for a value below a name: what its toJSON
// returns, if it has one, and what the replacer makes of that.
func (e *encoder) resolved(holder *goja.Object, v goja.Value, name string) goja.Value {
	if !e.lenient {
		return v
	}
	if o, ok := v.(*goja.Object); ok {
		if method, ok := goja.AssertFunction(o.Get("toJSON")); ok {
			v = e.called(method, o, e.in.vm.ToValue(name))
		}
	}
	if e.replace == nil {
		return v
	}
	if v == nil {
		v = goja.Undefined()
	}
	return e.called(e.replace, holder, e.in.vm.ToValue(name), v)
}

func (e *encoder) called(f goja.Callable, this goja.Value, args ...goja.Value) goja.Value {
	e.in.spend(4)
	value, err := f(this, args...)
	if err != nil {
		panic(err)
	}
	return value
}

// lenientNumber writes what has no JSON as null, and -0 as 0.
func (e *encoder) lenientNumber(v goja.Value) {
	switch f := v.ToFloat(); {
	case math.IsNaN(f) || math.IsInf(f, 0):
		e.word("null")
	case f == 0:
		e.word("0")
	default:
		e.word(v.String())
	}
}

// lenientView writes a view as JSON.stringify would: numbers and strings in their
// shortest form, names that are indices as they stand.
func (e *encoder) lenientView(o *goja.Object) bool {
	switch viewOf(o).(type) {
	case *objectView, *metaView, *messageView:
		e.members(o)
	case *arrayView:
		e.elements(o)
	default:
		return false
	}
	return true
}

// element writes an element of an array: what is left out of an object is null here.
func (e *encoder) element(holder *goja.Object, v goja.Value, i int64) {
	if v = e.resolved(holder, v, strconv.FormatInt(i, 10)); e.lenient && !e.writable(v) {
		e.word("null")
		e.room(0)
		return
	}
	e.value(v)
}

// indexName is the property name of an index.
func indexName(i int) string { return strconv.Itoa(i) }
