package script

import "github.com/dop251/goja"

// freeze is run once in every VM, before the guest's code: no message can change what
// the next one finds (decisions.md, Guests; case C30). Names that everyday code
// overrides on its own objects become accessors whose setter defines an own property on the
// receiver: a plain freeze would make `this.name = "MyError"` throw.
var freeze = goja.MustCompile("leat-freeze", `
(function () {
  const own = Object.getOwnPropertyDescriptor, define = Object.defineProperty
  const functions = Object.getPrototypeOf(function () {})
  // The constructors of functions compile text that no check has seen.
  for (const f of [function () {}, async function () {}, function* () {}]) {
    const stub = function Function() { throw new TypeError("code from text is not available to a guest") }
    define(Object.getPrototypeOf(f), "constructor", {value: stub, writable: true, configurable: true})
  }
  const overridable = [
    [Object.prototype, ["toString", "toLocaleString", "valueOf", "constructor", "hasOwnProperty", "toJSON"]],
    [functions, ["toString", "name", "constructor", "call", "apply", "bind"]],
    [Error.prototype, ["name", "message", "toString", "constructor", "stack"]],
  ]
  for (const [proto, names] of overridable) {
    for (const name of names) {
      const d = own(proto, name)
      if (!d || !("value" in d) || !d.configurable) continue
      const value = d.value
      define(proto, name, {
        get() { return value },
        set(v) {
          if (this === proto) throw new TypeError("Cannot assign to read only property '" + name + "'")
          define(this, name, {value: v, writable: true, enumerable: true, configurable: true})
        },
        enumerable: d.enumerable, configurable: false,
      })
    }
  }
  delete Object.prototype.__proto__
  const seen = new Set()
  const visit = (o) => {
    if (o === null || (typeof o !== "object" && typeof o !== "function") || seen.has(o)) return
    seen.add(o)
    if (o !== globalThis) Object.freeze(o)
    for (const key of Reflect.ownKeys(o)) {
      const d = own(o, key)
      if (!d) continue
      if ("value" in d) visit(d.value); else { visit(d.get); visit(d.set) }
    }
    visit(Object.getPrototypeOf(o))
  }
  visit(globalThis)
  for (const f of [async function () {}, function* () {}]) visit(Object.getPrototypeOf(f))
  visit(Object.getPrototypeOf([][Symbol.iterator]()))
  visit(Object.getPrototypeOf(""[Symbol.iterator]()))
  visit(Object.getPrototypeOf(new Map()[Symbol.iterator]()))
  visit(Object.getPrototypeOf(new Set()[Symbol.iterator]()))
  for (const key of Reflect.ownKeys(globalThis)) {
    if (key === "`+exportsName+`") continue
    const d = own(globalThis, key)
    if (d && d.configurable && "value" in d) define(globalThis, key, {writable: false, configurable: false})
  }
  Object.preventExtensions(globalThis)
})()
`, true)
