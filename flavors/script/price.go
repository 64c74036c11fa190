package script

import (
	"math/bits"

	"github.com/dop251/goja"
)

// Prices are in units of fuel, about 20 ns each, and cover the worst of what the
// built-in does natively; a callback that is bytecode pays for itself.

func payFlatRate(units int64) price {
	return func(in *instance, _ *goja.FunctionCall) { in.spend(units) }
}

// elements returns how many elements of call.This a built-in will walk. An object that
// is no array costs more memory by element.
func (in *instance) elements(v goja.Value) (n, bytes int64) {
	switch x := v.(type) {
	case goja.String:
		return int64(x.Length()), 16
	case *goja.Object:
		if bytes = 16; !isArray(x) && typedLength(x) < 0 {
			bytes = 128
		}
		return in.lengthOf(x), bytes
	}
	return 0, 0
}

// payWalk is for a walk over elements that calls nothing.
func payWalk(in *instance, call *goja.FunctionCall) {
	n, bytes := in.elements(call.This)
	if bytes > 16 {
		in.allocate(n * bytes)
	}
	in.bound(n)
	in.spend(1 + 2*n)
}

// payVisit is for a walk that calls a function for each element.
func payVisit(in *instance, call *goja.FunctionCall) {
	n, _ := in.elements(call.This)
	in.bound(n)
	in.spend(10 + 5*n)
}

// bound ends the guest when an array pretends to have more elements than fit: the walk would
// not end in time either.
func (in *instance) bound(n int64) {
	if bytes := n * 16; n > 1<<40 || bytes > in.budget.Memory {
		in.stop(in.outOfMemory(min(n, 1<<40) * 16))
	}
}

// payShift is for moving all elements by one place.
func payShift(in *instance, call *goja.FunctionCall) {
	n, bytes := in.elements(call.This)
	if bytes > 16 {
		in.bound(n)
		in.spend(n)
	}
	in.spend(1 + n>>3 + 2*int64(len(call.Arguments)))
}

// payCopy is for a copy of all elements, and of the arguments into it.
func payCopy(in *instance, call *goja.FunctionCall) {
	n, bytes := in.elements(call.This)
	in.allocate((n + int64(len(call.Arguments))) * bytes)
	in.spend(1 + 2*n)
}

func payConcat(in *instance, call *goja.FunctionCall) {
	payCopy(in, call)
	for _, arg := range call.Arguments { // Symbol.isConcatSpreadable makes any object count
		if o, ok := arg.(*goja.Object); ok {
			n, bytes := in.elements(o)
			in.allocate(n * bytes)
			in.spend(8 * n)
		}
	}
}

// paySort is for n log n comparisons.
func paySort(in *instance, call *goja.FunctionCall) {
	n, bytes := in.elements(call.This)
	in.allocate(n * bytes)
	in.spend(1 + n*int64(bits.Len64(uint64(n))))
}

// maxFlat is how deep flat may go: it recurses.
const maxFlat = 64

func payFlat(in *instance, call *goja.FunctionCall) {
	depth := int64(1)
	if d := call.Argument(0); !goja.IsUndefined(d) {
		depth = d.ToInteger()
		call.Arguments[0] = in.vm.ToValue(depth)
	}
	if depth > maxFlat {
		panic(in.vm.NewTypeError("flat takes a depth of at most %d here", maxFlat))
	}
	if o, ok := call.This.(*goja.Object); ok {
		in.payForFlat(o, depth)
	}
}

func payIterable(in *instance, call *goja.FunctionCall) {
	in.spend(2 + int64(len(call.Arguments)))
	if len(call.Arguments) > 0 {
		call.Arguments[0] = in.iterated(call.Arguments[0])
		n, bytes := in.elements(call.Arguments[0])
		in.allocate(n * bytes)
		in.spend(6 * n)
	}
}

// payList is for a list of arguments that becomes an array.
func payList(in *instance, call *goja.FunctionCall) {
	in.allocate(int64(len(call.Arguments)) * 16)
	in.spend(2)
}

// payMembers is for what lists or walks all properties of its first argument.
func payMembers(in *instance, call *goja.FunctionCall) { in.payForMembers(call.Argument(0)) }

// memberPrice is what one listed property takes, in bytes.
const memberPrice = 64

// payListing is for what lists the properties of its argument: a text and a large array
// pay before, an object by what comes out.
func payListing(in *instance, call *goja.FunctionCall) {
	in.spend(2)
	v := call.Argument(0)
	if o, ok := v.(*goja.Object); ok && !isArray(o) && o.ClassName() != "String" && typedLength(o) < 0 {
		return
	}
	in.payForMembers(v)
}

// payForListed charges for a list that came out.
func (in *instance) payForListed(list goja.Value) {
	if o, ok := list.(*goja.Object); ok && isArray(o) {
		n := in.lengthOf(o)
		in.allocate(n * memberPrice)
		in.spend(6 * n)
	}
}

func (in *instance) payForMembers(v goja.Value) {
	n := int64(0)
	switch x := v.(type) {
	case goja.String:
		n = int64(x.Length())
	case *goja.Object:
		n = in.memberCount(x)
	}
	in.allocate(n * memberPrice)
	in.spend(2 + 6*n)
}

// memberCount returns how many properties an object has, about. It runs no guest code.
func (in *instance) memberCount(o *goja.Object) int64 {
	switch v := viewOf(o).(type) {
	case *objectView:
		return int64(v.size())
	case *arrayView:
		return int64(v.Len())
	}
	if isArray(o) || typedLength(o) >= 0 {
		if n := in.lengthOf(o); n > 1<<16 {
			return n
		}
	}
	if o.ClassName() == "String" {
		return in.plainLength(o)
	}
	return int64(len(o.GetOwnPropertyNames()))
}

// payDescriptors is for what makes an object of each property.
func payDescriptors(in *instance, call *goja.FunctionCall) {
	in.payForMembers(call.Argument(0))
	if o, ok := call.Argument(0).(*goja.Object); ok {
		in.spend(40 * in.memberCount(o))
	}
}

func payAssign(in *instance, call *goja.FunctionCall) {
	for _, source := range call.Arguments[min(1, len(call.Arguments)):] {
		in.payForMembers(source)
	}
}

// maxPrototypes bounds a chain of prototypes that is built on purpose: looking a
// property up walks it on the stack.
const maxPrototypes = 1000

func payCreate(in *instance, call *goja.FunctionCall) {
	in.spend(8)
	for _, arg := range call.Arguments {
		o, ok := arg.(*goja.Object)
		if !ok {
			continue
		}
		in.payForMembers(o)
		for depth := 0; o != nil; o = o.Prototype() {
			if depth++; depth > maxPrototypes {
				panic(in.vm.NewTypeError("a chain of prototypes may have %d objects here", maxPrototypes))
			}
		}
	}
}

// payArguments is for a list of arguments in an array-like at a place.
func payArguments(at int) price {
	return func(in *instance, call *goja.FunctionCall) {
		in.payForArguments(call.Argument(at))
		in.spend(2)
	}
}

// maxArguments bounds the arguments that one call takes from a list: they go on the stack.
const maxArguments = 1 << 17

func (in *instance) payForArguments(list goja.Value) {
	n, _ := in.elements(list)
	if n > maxArguments {
		panic(in.rangeError("a call takes at most 131,072 arguments"))
	}
	in.allocate(n * 16)
	in.spend(4 * n)
}

// paySet is for TypedArray.prototype.set, which copies its argument.
func paySet(in *instance, call *goja.FunctionCall) {
	n, _ := in.elements(call.Argument(0))
	in.bound(n)
	in.spend(1 + 2*n)
}

func payPromises(in *instance, call *goja.FunctionCall) {
	payIterable(in, call)
	n, _ := in.elements(call.Argument(0))
	in.spend(50 * n)
}

func payForEach(in *instance, call *goja.FunctionCall) {
	if o, ok := call.This.(*goja.Object); ok && collection(o) {
		in.spend(10 + 5*in.sizeOf(o))
	}
}

// collection says whether an object is a Set or a Map.
func collection(o *goja.Object) bool {
	return o.ClassName() == "Object" && (o.ExportType() == typeSet || o.ExportType() == typeMap)
}

// sizeOf returns the size of a Set or a Map by the getter that it was born with.
func (in *instance) sizeOf(o *goja.Object) int64 {
	if o.ExportType() == typeMap {
		return in.mapSize(goja.FunctionCall{This: o}).ToInteger()
	}
	return in.setSize(goja.FunctionCall{This: o}).ToInteger()
}

// paySets takes Sets and Maps only: another object's keys could be a native iterator
// without end.
func paySets(in *instance, call *goja.FunctionCall) {
	for _, v := range []goja.Value{call.This, call.Argument(0)} {
		o, ok := v.(*goja.Object)
		if !ok || !collection(o) {
			panic(in.vm.NewTypeError("operations on sets take a Set or a Map here"))
		}
		n := in.sizeOf(o)
		in.allocate(n * memberPrice)
		in.spend(2 + 2*n)
	}
}
