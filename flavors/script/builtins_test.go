package script

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/leat-run/leat/runtime"
)

// walkRealm lists every function that a script can reach, by its path: from the global
// object, through properties, accessors and prototypes, and from the objects that only
// syntax makes.
const walkRealm = `
const overridden = ['toString', 'toLocaleString', 'valueOf', 'constructor', 'hasOwnProperty', 'name', 'message', 'toJSON', 'inspect', 'exec'];
function walk(typed) {
	const out = [], seen = new Set([globalThis]), todo = [];
	const visit = (o, path) => {
		if ((typeof o !== 'object' && typeof o !== 'function') || o === null || seen.has(o)) return;
		seen.add(o);
		todo.push([o, path]);
		if (typeof o === 'function') out.push(path);
	};
	visit(Object.getPrototypeOf(Object), 'Function.prototype');
	for (const k of Reflect.ownKeys(globalThis)) visit(globalThis[k], String(k));
	for (const k of Reflect.ownKeys(globalThis)) visit(globalThis[k]?.prototype, String(k) + '.prototype');
	if (typed) visit(Object.getPrototypeOf(Uint8Array.prototype), 'TypedArray.prototype');
	if (typed) visit(Object.getPrototypeOf(Uint8Array), 'TypedArray');
	visit(Object.getPrototypeOf(async function () {}), 'async'); visit(Object.getPrototypeOf(function* () {}), 'generator');
	for (const it of [[][Symbol.iterator](), new Map().entries(), new Set().values(), ''[Symbol.iterator](), 'a'.matchAll(/a/g)]) visit(Object.getPrototypeOf(it), 'iterator');
	visit((function () { return arguments })(), 'arguments');
	for (let i = 0; i < todo.length; i++) {
		const [o, path] = todo[i];
		for (const k of Reflect.ownKeys(o)) {
			const d = Object.getOwnPropertyDescriptor(o, k), name = path + '.' + (typeof k === 'symbol' ? '[' + k.description + ']' : k);
			if ('value' in d || overridden.includes(k)) visit(k === 'name' || k === 'message' ? null : o[k], name);
			else { visit(d.get, name + ' get'); visit(d.set, name + ' set'); }
		}
		visit(Object.getPrototypeOf(o), path + '.__proto__');
	}
	return out;
}`

// constant are the built-ins whose work does not grow with what they are given, or only as
// much as what was made before: a getter, a constructor of a small object, a step of an iterator.
const constant = `
Object Function Array String Number Boolean Symbol Date Promise DataView
Object: defineProperty getOwnPropertyDescriptor getPrototypeOf is isExtensible hasOwn
Object.prototype: valueOf hasOwnProperty isPrototypeOf propertyIsEnumerable
Function.prototype Function.prototype: [Symbol.hasInstance] caller~get
Array: isArray [Symbol.species]~get
Array.prototype: at keys values entries
String: fromCharCode fromCodePoint
String.prototype: toString valueOf [Symbol.iterator]
Number: isFinite isInteger isNaN isSafeInteger
Number.prototype: toExponential toFixed toLocaleString toPrecision toString valueOf
Boolean.prototype: toString valueOf
Symbol.prototype: description~get valueOf [Symbol.toPrimitive]
BigInt.prototype: valueOf
Math: abs acos acosh asin asinh atan atanh atan2 cbrt ceil clz32 cos cosh exp expm1 floor fround hypot imul log log1p log10 log2 max min pow random round sign sin sinh sqrt tan tanh trunc
Date: UTC now
Date.prototype: toString toDateString toTimeString toLocaleString toLocaleDateString toLocaleTimeString valueOf getTime getFullYear getUTCFullYear getMonth getUTCMonth
 getDate getUTCDate getDay getUTCDay getHours getUTCHours getMinutes getUTCMinutes getSeconds getUTCSeconds getMilliseconds getUTCMilliseconds getTimezoneOffset
 setTime setMilliseconds setUTCMilliseconds setSeconds setUTCSeconds setMinutes setUTCMinutes setHours setUTCHours setDate setUTCDate setMonth setUTCMonth
 setFullYear setUTCFullYear toUTCString toISOString toJSON [Symbol.toPrimitive]
Reflect: defineProperty deleteProperty get getOwnPropertyDescriptor getPrototypeOf has isExtensible set
Error: isError
JSON: isRawJSON
RegExp: [Symbol.species]~get
RegExp.prototype: toString source~get global~get multiline~get dotAll~get ignoreCase~get unicode~get sticky~get flags~get
Map: [Symbol.species]~get
Map.prototype: clear delete has get size~get keys values entries
Set: [Symbol.species]~get
Set.prototype: clear delete has size~get values entries
WeakMap.prototype: delete has get
WeakSet.prototype: delete has
Promise: [Symbol.species]~get
ArrayBuffer: isView [Symbol.species]~get
ArrayBuffer.prototype: byteLength~get
DataView.prototype: buffer~get byteLength~get byteOffset~get getFloat32 getFloat64 getInt8 getInt16 getInt32 getUint8 getUint16 getUint32 getBigInt64 getBigUint64
 setFloat32 setFloat64 setInt8 setInt16 setInt32 setUint8 setUint16 setUint32 setBigInt64 setBigUint64
TypedArray TypedArray: [Symbol.species]~get
TypedArray.prototype: buffer~get byteLength~get byteOffset~get entries keys length~get subarray values [Symbol.toStringTag]~get
generator.prototype: next return throw 
iterator: next __proto__.[Symbol.iterator]
`

// ours are built-ins that this package implements or whose constructor pays (prelude.js).
const ours = `
Set Map WeakSet WeakMap RegExp BigInt ArrayBuffer
Error TypeError RangeError SyntaxError ReferenceError EvalError URIError AggregateError
Int8Array Uint8Array Uint8ClampedArray Int16Array Uint16Array Int32Array Uint32Array Float32Array Float64Array BigInt64Array BigUint64Array
Array.prototype: join toString toLocaleString flatMap
String: raw
Symbol: for keyFor
String.prototype: replace replaceAll
JSON: stringify parse
RegExp.prototype: exec test [Symbol.match] [Symbol.matchAll] [Symbol.search] [Symbol.split] [Symbol.replace]
console: log info debug trace warn error
`

// names reads a list of the form "owner: name name", or "name name" for what is global.
// Where a line begins with a space it goes on with the owner before.
func names(list string) (all []string) {
	owner := ""
	for line := range strings.SplitSeq(list, "\n") {
		if !strings.HasPrefix(line, " ") {
			owner = ""
		}
		for _, word := range strings.Fields(line) {
			name := strings.ReplaceAll(word, "~", " ")
			if path, isOwner := strings.CutSuffix(name, ":"); isOwner {
				owner = path
			} else if owner == "" {
				all = append(all, name)
			} else {
				all = append(all, owner+"."+name)
			}
		}
	}
	return all
}

// TestBuiltins proves that every function a guest can reach is constant, or charged, or
// ours: a new version of the engine with another built-in fails here.
func TestBuiltins(t *testing.T) {
	classified := map[string]string{}
	class := func(kind string, all []string) {
		for _, name := range all {
			if was := classified[name]; was != "" {
				t.Errorf("%s is both %s and %s", name, was, kind)
			}
			classified[name] = kind
		}
	}
	class("constant", names(constant))
	class("ours", names(ours))
	for _, c := range charged {
		owner, list, _ := strings.Cut(c.names, ":")
		for name := range strings.FieldsSeq(list) {
			class("charged", []string{strings.TrimPrefix(strings.TrimSpace(owner)+"."+name, ".")})
		}
	}
	reached := map[string]bool{}
	for _, allow := range [][]string{nil, {"bigint", "typed_arrays"}} {
		w := load(t, walkRealm+"\nexport default () => ({payload: walk("+map[bool]string{true: "true", false: "false"}[allow != nil]+")})", func(s *runtime.Settings) {
			s.Allow = allow
			s.Budget.Fuel = 1 << 40
		})
		text, err := one(w, "{}")
		if err != nil {
			t.Fatal(err)
		}
		var functions []string
		if err := json.Unmarshal([]byte(text), &functions); err != nil {
			t.Fatal(err)
		}
		if len(functions) < 300 {
			t.Errorf("only %d functions found", len(functions))
		}
		for _, name := range functions {
			reached[name] = true
			if classified[name] == "" {
				t.Errorf("%s is not classified", name)
			}
		}
	}
	for name, kind := range classified {
		if !reached[name] && !slices.Contains(aliases, name) {
			t.Errorf("%s is %s, but no guest can reach it", name, kind)
		}
	}
}

// aliases are classified, and reached by another name first: one function for both.
var aliases = []string{"Number.parseFloat", "Number.parseInt", "parseFloat", "parseInt"}
