// Removes what is not offered and freezes what is, so that no message can change what
// the next one sees. On prototypes the names that classes commonly override become
// accessors whose setter defines an own property on the receiver: frozen data
// properties would make those assignments throw (this.name = 'MyError').
(function () {
  const define = Object.defineProperty, names = Reflect.ownKeys, proto = Object.getPrototypeOf;
  const describe = Object.getOwnPropertyDescriptor, freeze = Object.freeze;
  const source = globalThis.leat_source, pattern = globalThis.leat_pattern, construct = Reflect.construct;
  delete globalThis.leat_source;
  delete globalThis.leat_pattern;
  function replace(name, guarded) {
    const original = globalThis[name];
    for (const key of names(original)) {
      const d = describe(original, key);
      if (key === 'prototype' || key === 'length' || key === 'name') define(guarded, key, { value: d.value });
      else define(guarded, key, d);
    }
    define(original.prototype, 'constructor', { value: guarded, writable: true, configurable: true });
    globalThis[name] = guarded;
  }
  for (const name of ['Set', 'Map', 'WeakSet', 'WeakMap']) {
    const original = globalThis[name];
    const guarded = function (items) {
      if (!new.target) throw new TypeError('Constructor ' + name + " requires 'new'");
      return construct(original, items == null ? [] : [source(items)], new.target === guarded ? original : new.target);
    };
    replace(name, guarded);
  }
  const expression = RegExp;
  const guardedExpression = function (text, flags) {
    const isExpression = text !== null && typeof text === 'object' && text[Symbol.match] !== undefined;
    if (!new.target && isExpression && flags === undefined && text.constructor === guardedExpression) return text;
    if (flags !== undefined) flags = String(flags);
    if (!isExpression) text = pattern(text, flags);
    return construct(expression, [text, flags], new.target === undefined || new.target === guardedExpression ? expression : new.target);
  };
  replace('RegExp', guardedExpression);
  const functionProto = proto(function () {});
  const hidden = [
    proto(async function () {}), proto(function* () {}), proto(proto(function* () {}.prototype)),
    proto([][Symbol.iterator]()), proto(new Map()[Symbol.iterator]()), proto(new Set()[Symbol.iterator]()),
    proto(''[Symbol.iterator]()), proto('a'.matchAll(/a/g)),
  ];
  const stub = function Function(text) {
    if (text === 'return this') return function () { return globalThis; };
    throw new TypeError('Function is not offered to guests');
  };
  define(stub, 'prototype', { value: functionProto, writable: false });
  for (const p of [functionProto, hidden[0], hidden[1]]) {
    if (describe(p, 'constructor')) define(p, 'constructor', { value: stub, writable: false, configurable: false });
  }
  globalThis.Function = stub;
  delete globalThis.eval;
  delete globalThis.Proxy;
  delete globalThis.SharedArrayBuffer;
  delete globalThis.Atomics;
  delete Object.prototype.__proto__;
  delete Object.prototype.__defineGetter__;
  delete Object.prototype.__defineSetter__;
  delete Symbol.for;
  delete Symbol.keyFor;
  delete Error.captureStackTrace;

  function override(target, key, d) {
    const value = d.value;
    define(target, key, {
      configurable: false, enumerable: d.enumerable,
      get() { return value; },
      set(v) {
        if (this === target) throw new TypeError("cannot change '" + String(key) + "' of a built-in object");
        define(this, key, { value: v, writable: true, enumerable: true, configurable: true });
      },
    });
  }
  const common = ['toString', 'toLocaleString', 'valueOf', 'constructor', 'hasOwnProperty', 'name', 'message', 'toJSON', 'inspect'];
  const seen = new Set();
  function visit(o) {
    if ((typeof o !== 'object' && typeof o !== 'function') || o === null || o === globalThis || seen.has(o)) return;
    seen.add(o);
    for (const key of names(o)) {
      const d = describe(o, key);
      if (d.get) visit(d.get);
      if (d.set) visit(d.set);
      if ('value' in d) visit(d.value);
    }
    visit(proto(o));
  }
  for (const key of names(globalThis)) {
    const d = describe(globalThis, key);
    if ('value' in d) visit(d.value);
  }
  hidden.forEach(visit);
  for (const o of seen) {
    const isProto = typeof o === 'object' && describe(o, 'constructor');
    if (isProto) {
      for (const key of common) {
        const d = describe(o, key);
        if (d && 'value' in d && d.configurable) override(o, key, d);
      }
    }
  }
  for (const o of seen) freeze(o);
})();
