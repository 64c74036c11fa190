package script

import (
	"strings"

	"github.com/dop251/goja"
)

// price charges for one call of a built-in before it runs. It may make the call's this
// and arguments primitive, so that what was priced is what the built-in reads.
type price func(in *instance, call *goja.FunctionCall)

// charge is built-ins of one owner, and what a call of each costs.
type charge struct {
	names string // "owner: name name"
	pay   price
	check bool // the string that comes out is checked against the cap
	list  bool // the list that comes out is paid for: it was made of what was paid for before
}

// charged lists the built-ins that can burn time or memory without executing bytecode,
// by what they do. TestBuiltins holds every function that a guest can reach to this list,
// to ours, or to constant.
var charged = []charge{
	{names: `Array.prototype: indexOf lastIndexOf includes reverse copyWithin`, pay: payWalk},
	{names: `Array.prototype: every some find findIndex findLast findLastIndex forEach map filter reduce reduceRight`, pay: payVisit},
	{names: `Array.prototype: pop push shift unshift`, pay: payShift},
	{names: `Array.prototype: slice splice fill with toReversed toSpliced`, pay: payCopy},
	{names: `Array.prototype: concat`, pay: payConcat},
	{names: `Array.prototype: sort toSorted`, pay: paySort},
	{names: `Array.prototype: flat`, pay: payFlat},
	{names: `Array: from`, pay: payIterable},
	{names: `Array: of`, pay: payList},
	{names: `Object: fromEntries`, pay: payIterable},
	{names: `Object: assign`, pay: payAssign},
	{names: `Object: keys values entries getOwnPropertyNames getOwnPropertySymbols`, pay: payListing, list: true},
	{names: `Reflect: ownKeys`, pay: payListing, list: true},
	{names: `Object: freeze seal isFrozen isSealed preventExtensions`, pay: payMembers},
	{names: `Object: getOwnPropertyDescriptors`, pay: payDescriptors},
	{names: `Object: defineProperties create setPrototypeOf`, pay: payCreate},
	{names: `Reflect: preventExtensions`, pay: payMembers},
	{names: `Reflect: setPrototypeOf`, pay: payCreate},
	{names: `Reflect: apply`, pay: payArguments(2)},
	{names: `Reflect: construct`, pay: payArguments(1)},
	{names: `Function.prototype: apply`, pay: payArguments(1)},
	{names: `Function.prototype: bind call toString`, pay: payFlatRate(20), check: true},
	{names: `Error.prototype: toString`, pay: payFlatRate(8), check: true},
	{names: `Symbol.prototype: toString`, pay: payFlatRate(8), check: true},
	{names: `Object.prototype: toString toLocaleString`, pay: payFlatRate(8), check: true},
	{names: `String.prototype: endsWith includes indexOf lastIndexOf startsWith`, pay: paySearch},
	{names: `String.prototype: localeCompare`, pay: payCompare},
	{names: `String.prototype: slice substring substr trim trimEnd trimStart trimRight trimLeft at charAt charCodeAt codePointAt`, pay: payText},
	{names: `String.prototype: toLowerCase toUpperCase toLocaleLowerCase toLocaleUpperCase`, pay: payText, check: true},
	{names: `String.prototype: normalize`, pay: payNormalize, check: true},
	{names: `String.prototype: split`, pay: paySplit},
	{names: `String.prototype: match matchAll search`, pay: payPattern},
	{names: `String.prototype: concat`, pay: payTexts, check: true},
	{names: `String.prototype: repeat`, pay: payRepeat},
	{names: `String.prototype: padStart padEnd`, pay: payPad},
	{names: `Number: parseFloat parseInt`, pay: payTextArgument, check: false},
	{names: `: parseFloat parseInt isNaN isFinite`, pay: payTextArgument},
	{names: `: decodeURI decodeURIComponent encodeURI encodeURIComponent escape unescape`, pay: payTextArgument, check: true},
	{names: `Date: parse`, pay: payTextArgument},
	{names: `JSON: rawJSON`, pay: payTextArgument},
	{names: `Promise: all allSettled any race`, pay: payPromises},
	{names: `Promise: resolve reject`, pay: payFlatRate(50)},
	{names: `Promise.prototype: then catch finally`, pay: payFlatRate(50)},
	{names: `Map.prototype: forEach`, pay: payForEach},
	{names: `Set.prototype: forEach`, pay: payForEach},
	{names: `Map.prototype: set`, pay: payFlatRate(4)},
	{names: `Set.prototype: add`, pay: payFlatRate(4)},
	{names: `WeakMap.prototype: set`, pay: payFlatRate(4)},
	{names: `WeakSet.prototype: add`, pay: payFlatRate(4)},
	{names: `Set.prototype: union intersection difference symmetricDifference isSubsetOf isSupersetOf isDisjointFrom`, pay: paySets},
	{names: `BigInt: asIntN asUintN`, pay: payBits},
	{names: `BigInt.prototype: toString toLocaleString`, pay: payDigits},
	{names: `ArrayBuffer.prototype: slice`, pay: payBuffer},
	{names: `TypedArray: from`, pay: payIterable},
	{names: `TypedArray: of`, pay: payList},
	{names: `TypedArray.prototype: at copyWithin fill includes indexOf lastIndexOf reverse`, pay: payWalk},
	{names: `TypedArray.prototype: every filter find findIndex findLast findLastIndex forEach map reduce reduceRight some`, pay: payVisit},
	{names: `TypedArray.prototype: slice with toReversed`, pay: payCopy},
	{names: `TypedArray.prototype: sort toSorted`, pay: paySort},
	{names: `TypedArray.prototype: set`, pay: paySet},
	{names: `TypedArray.prototype: join toString toLocaleString`, pay: payTypedJoin, check: true},
	{names: `Uint8Array.prototype: setFromBase64 setFromHex`, pay: payTextArgument},
	{names: `Uint8Array.prototype: toBase64 toHex`, pay: payCopy, check: true},
	{names: `Uint8Array: fromBase64 fromHex`, pay: payTextArgument},
}

// after returns what looks at the result, or nil.
func (c *charge) after() func(*instance, goja.Value) {
	switch {
	case c.check:
		return (*instance).checkString
	case c.list:
		return (*instance).payForListed
	default:
		return nil
	}
}

// guardBuiltins wraps everything in charged that this VM has.
func (in *instance) guardBuiltins() {
	for i := range charged {
		c := &charged[i]
		path, names, _ := strings.Cut(c.names, ":")
		owner := in.builtinOwner(path)
		if owner == nil {
			continue
		}
		for _, name := range strings.Fields(names) {
			in.wrap(owner, name, c.pay, c.after())
		}
	}
}

// builtinOwner returns the object at a path from the global one, or nil.
func (in *instance) builtinOwner(path string) *goja.Object {
	o := in.vm.GlobalObject()
	for _, name := range strings.FieldsFunc(path, func(r rune) bool { return r == '.' }) {
		if name == "TypedArray" {
			if o, _ = o.Get("Uint8Array").(*goja.Object); o != nil {
				o = o.Prototype()
			}
		} else {
			o, _ = o.Get(name).(*goja.Object)
		}
		if o == nil {
			return nil
		}
	}
	return o
}

// wrap replaces a built-in by one that pays first.
func (in *instance) wrap(owner *goja.Object, name string, pay price, after func(*instance, goja.Value)) {
	value, ok := owner.Get(name).(*goja.Object)
	if !ok {
		return
	}
	f := in.nativeOf(value)
	wrapped := func(call goja.FunctionCall) goja.Value {
		pay(in, &call)
		return f(call)
	}
	if after != nil {
		wrapped = func(call goja.FunctionCall) goja.Value {
			pay(in, &call)
			result := f(call)
			after(in, result)
			return result
		}
	}
	in.define(owner, name, int(value.Get("length").ToInteger()), wrapped)
}

// define puts a function of ours in the place of a built-in.
func (in *instance) define(owner *goja.Object, name string, length int, f nativeFunction) {
	in.must(owner.DefineDataProperty(name, in.native(name, length, f), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE))
}
