package script

import "github.com/dop251/goja"

// iterated returns what a native may iterate: arrays and strings are paid for and stay,
// anything else is copied into an array here, one paid step at a time, since a native
// that iterates over native functions executes no bytecode and would never end.
func (in *instance) iterated(v goja.Value) goja.Value {
	o, ok := v.(*goja.Object)
	if !ok {
		in.payFor(v)
		return v
	}
	if isArray(o) {
		in.payFor(o)
		return v
	}
	if method, ok := o.GetSymbol(goja.SymIterator).(*goja.Object); !ok || method == nil {
		in.payFor(v)
		return v // an array-like, or what throws by itself
	}
	items := in.vm.NewArray()
	n := 0
	in.vm.ForOf(o, func(item goja.Value) bool {
		in.spend(4)
		if n++; int64(n)*16 > in.budget.Memory {
			in.stop(in.outOfMemory(int64(n) * 16))
		}
		in.must(items.Set(indexName(n-1), item))
		return true
	})
	return items
}

// guardIterators makes every native that consumes an iterable go through iterated. Set
// and Map constructors do so in freeze.js.
func (in *instance) guardIterators() {
	first := func(call goja.FunctionCall) {
		if len(call.Arguments) > 0 {
			call.Arguments[0] = in.iterated(call.Arguments[0])
		}
	}
	in.wrap(in.vm.Get("Array").ToObject(in.vm), "from", first)
	in.wrap(in.vm.Get("Object").ToObject(in.vm), "fromEntries", first)
	promise := in.vm.Get("Promise").ToObject(in.vm)
	for _, name := range []string{"all", "allSettled", "any", "race"} {
		in.wrap(promise, name, func(call goja.FunctionCall) {
			first(call)
			if o, ok := call.Argument(0).(*goja.Object); ok {
				in.spend(50 * in.lengthOf(o))
			}
		})
	}
	set := in.prototype("Set")
	for _, name := range []string{"union", "intersection", "difference", "symmetricDifference", "isSubsetOf", "isSupersetOf", "isDisjointFrom"} {
		in.wrap(set, name, func(call goja.FunctionCall) {
			o, ok := call.Argument(0).(*goja.Object)
			if class := ""; ok {
				if class = o.ClassName(); class == "Set" || class == "Map" {
					in.spend(o.Get("size").ToInteger())
					return
				}
			}
			panic(in.vm.NewTypeError("Set.prototype.%s takes a Set or a Map here", name))
		})
	}
}

// payForFlat charges for what flat would write, as often as it would write it: a small
// graph of shared arrays can be a huge tree.
func (in *instance) payForFlat(o *goja.Object, depth int64) {
	n := in.lengthOf(o)
	in.allocate(n * 16)
	in.spend(n)
	if depth <= 0 {
		return
	}
	for i := range n {
		if inner, ok := o.Get(indexName(int(i))).(*goja.Object); ok && isArray(inner) {
			in.payForFlat(inner, depth-1)
		}
	}
}
