package script

import (
	"strings"

	"github.com/dop251/goja"

	"github.com/leat-run/leat/runtime"
)

// The engine bounds how deep bytecode nests, and no more: a built-in that calls another one
// through what the guest gave it (a getter, a toString, a bound function) executes none, and
// ends the process when the Go stack is full. So whatever closes such a circle is counted:
// every built-in that pays or is ours (native), those of nestBuiltins, and what is made by bind.

// nestPerFrame is how many built-ins may stand between two calls of the guest's functions, on
// average: it lets any recursion meet budget.stack first.
const nestPerFrame = 4

func (in *instance) maxNested() int { return nestPerFrame*in.budget.Stack + 64 }

// nested counts f among the built-ins that stand inside each other.
func (in *instance) nested(f nativeFunction) nativeFunction {
	return func(call goja.FunctionCall) goja.Value {
		defer in.surface()
		in.dive()
		return f(call)
	}
}

func (in *instance) dive() {
	if in.depth++; in.depth > in.maxNested() {
		in.stop(&limit{
			kind: runtime.KindStack, message: "calls of built-ins nest too deep", hint: "end the recursion, or raise budget.stack",
			measured: int64(in.depth), limit: int64(in.maxNested()),
		})
	}
}

func (in *instance) surface() { in.depth-- }

// nestBuiltins counts the built-ins that cost nothing by themselves and call the guest's code
// when they are called the way a conversion or a getter is: with a this, and at most a hint.
func (in *instance) nestBuiltins() {
	for _, b := range []struct {
		owner, name string
		symbol      *goja.Symbol // instead of name
	}{
		{owner: "Array", name: "at"}, {owner: "Date", name: "toJSON"}, {owner: "RegExp", name: "toString"},
		{owner: "String", symbol: goja.SymIterator}, {owner: "Date", symbol: goja.SymToPrimitive},
	} {
		proto := in.prototype(b.owner)
		if b.symbol == nil {
			in.wrap(proto, b.name, payNothing, nil)
			continue
		}
		was := proto.GetSymbol(b.symbol).(*goja.Object)
		writable := goja.ToFlag(b.symbol == goja.SymIterator)
		in.must(proto.DefineDataPropertySymbol(b.symbol, in.counted(was), writable, goja.FLAG_TRUE, goja.FLAG_FALSE))
	}
	steps := in.iteratorPrototype()
	in.wrap(steps, "next", payNothing, nil)
	flags := in.descriptor(in.prototype("RegExp"), &realmStep{name: "flags"}).Get("get").(*goja.Object)
	in.must(in.prototype("RegExp").DefineAccessorProperty("flags", in.counted(flags), nil, goja.FLAG_TRUE, goja.FLAG_FALSE))
	function := in.prototype("Function")
	in.define(function, "bind", 1, in.bind(in.nativeOf(function.Get("bind"))))
}

// iteratorPrototype is where the step of an array's iterator is: the iterated object may be
// an iterator too, whose elements are its steps.
func (in *instance) iteratorPrototype() *goja.Object {
	values, _ := goja.AssertFunction(in.prototype("Array").Get("values"))
	iterator, err := values(in.vm.NewArray())
	in.must(err)
	return iterator.ToObject(in.vm).Prototype()
}

func payNothing(*instance, *goja.FunctionCall) {}

// counted returns a function that is counted and calls f, with its name and length.
func (in *instance) counted(f *goja.Object) *goja.Object {
	name, ok := f.Get("name").(goja.String)
	if !ok {
		name = in.vm.ToValue("").(goja.String)
	}
	return in.native(name.String(), int(f.Get("length").ToInteger()), in.nativeOf(f))
}

// bind is Function.prototype.bind. A built-in is bound by way of a function that is counted.
func (in *instance) bind(bind nativeFunction) nativeFunction {
	return func(call goja.FunctionCall) goja.Value {
		target, ok := call.This.(*goja.Object)
		if !ok || !in.isNative(target) {
			return bind(call)
		}
		in.checkString(target.Get("name")) // what is bound again and again has a long one, which is copied
		if _, constructs := goja.AssertConstructor(target); constructs {
			call.This = in.frame(goja.FunctionCall{Arguments: []goja.Value{target}})
		} else {
			call.This = in.counted(target)
		}
		return bind(call)
	}
}

func (in *instance) isNative(o *goja.Object) bool {
	if _, ok := goja.AssertFunction(o); !ok {
		return false
	}
	return strings.HasSuffix(in.functionText(goja.FunctionCall{This: o}).String(), "{ [native code] }")
}
