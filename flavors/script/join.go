package script

import (
	"slices"

	"github.com/dop251/goja"
)

// join is Array.prototype.join: goja's writes what a toString returns without a bound.
func (in *instance) join(call goja.FunctionCall) goja.Value {
	separator := goja.String(nil)
	if v := call.Argument(0); !goja.IsUndefined(v) {
		separator = in.stringOfValue(v)
	}
	return in.joined(call.This, separator)
}

// arrayText is Array.prototype.toString and toLocaleString.
func (in *instance) arrayText(call goja.FunctionCall) goja.Value { return in.joined(call.This, nil) }

// maxJoin bounds how deep arrays of arrays are written.
const maxJoin = 200

// joined writes the elements with a separator between them, a comma where it is nil. An
// array inside itself is empty there.
func (in *instance) joined(this goja.Value, separator goja.String) goja.Value {
	in.coercible(this)
	o := this.ToObject(in.vm)
	if slices.Contains(in.joining, o) {
		return in.vm.ToValue("")
	}
	if len(in.joining) >= maxJoin {
		panic(in.vm.NewTypeError("arrays nest deeper than %d to be joined", maxJoin))
	}
	in.joining = append(in.joining, o)
	defer func() { in.joining = in.joining[:len(in.joining)-1] }()
	n := in.lengthOf(o)
	in.bound(n)
	in.spend(1 + 2*n)
	if separator == nil {
		separator = in.vm.ToValue(",").(goja.String)
	}
	w := writer{in: in}
	for i := range n {
		if i > 0 {
			w.write(separator)
		}
		if v := o.Get(indexName(int(i))); v != nil && !goja.IsUndefined(v) && !goja.IsNull(v) {
			w.write(in.stringOfValue(v))
		}
	}
	return w.out.String()
}

// writer builds a string that is paid for as it grows.
type writer struct {
	in     *instance
	out    goja.StringBuilder
	length int64
}

func (w *writer) write(s goja.String) {
	w.pay(s.Length())
	w.out.WriteString(s)
}

// part writes a piece of a string.
func (w *writer) part(s goja.String, from, to int) {
	if from < to {
		w.pay(to - from)
		w.out.WriteSubstring(s, from, to)
	}
}

// pay charges for n more units.
func (w *writer) pay(n int) {
	w.length += int64(n)
	if w.length > w.in.maxString() {
		w.in.stop(tooLong(w.length, w.in.maxString()))
	}
	w.in.spend(1 + int64(n)>>4)
}

// flatMap is Array.prototype.flatMap: goja's copies what the function returned without
// executing bytecode.
func (in *instance) flatMap(call goja.FunctionCall) goja.Value {
	o := call.This.ToObject(in.vm)
	f, ok := goja.AssertFunction(call.Argument(0))
	if !ok {
		panic(in.vm.NewTypeError("flatMap takes a function"))
	}
	n := in.lengthOf(o)
	in.bound(n)
	in.spend(1 + 2*n)
	var all []any
	for i := range n {
		name := indexName(int(i))
		v := o.Get(name)
		if v == nil {
			continue // a hole
		}
		mapped, err := f(call.Argument(1), v, in.vm.ToValue(i), o)
		if err != nil {
			panic(err)
		}
		inner, isObject := mapped.(*goja.Object)
		if !isObject || !isArray(inner) {
			in.payElement(len(all))
			all = append(all, mapped)
			continue
		}
		m := in.lengthOf(inner)
		in.bound(int64(len(all)) + m)
		in.spend(2 * m)
		for j := range m {
			if v := inner.Get(indexName(int(j))); v != nil {
				all = append(all, v)
			}
		}
	}
	return in.vm.NewArray(all...)
}

// stringRaw is String.raw.
func (in *instance) stringRaw(call goja.FunctionCall) goja.Value {
	raw := call.Argument(0).ToObject(in.vm).Get("raw")
	if raw == nil {
		panic(in.vm.NewTypeError("String.raw takes an object with raw"))
	}
	parts := raw.ToObject(in.vm)
	n := in.lengthOf(parts)
	in.bound(n)
	w := writer{in: in}
	for i := range n {
		part := parts.Get(indexName(int(i)))
		if part == nil {
			part = goja.Undefined()
		}
		w.write(in.stringOfValue(part))
		if i+1 < n && int(i)+1 < len(call.Arguments) {
			w.write(in.stringOfValue(call.Arguments[i+1]))
		}
	}
	return w.out.String()
}
