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
	in.spend(50)
	var items []any
	in.vm.ForOf(o, func(item goja.Value) bool {
		in.payElement(len(items))
		in.spend(stepPrice)
		items = append(items, item)
		return true
	})
	return in.vm.NewArray(items...)
}

// stepPrice is what one step of an iterator costs natively: it makes an object.
const stepPrice = 20

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
