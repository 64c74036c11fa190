// Takes away what is not offered, replaces the constructors that burn time or memory natively
// by ones that pay first, and returns the prototypes that no global name leads to. The
// caller freezes everything (realm.go).
(function (host) {
  const define = Object.defineProperty, names = Reflect.ownKeys, proto = Object.getPrototypeOf, setProto = Object.setPrototypeOf;
  const describe = Object.getOwnPropertyDescriptor, construct = Reflect.construct;
  const { source, pattern, errorPaid, bigint, buffer } = host;
  const registry = new Map(), symbol = Symbol;
  const global = globalThis;

  // replace puts guarded in the place of a global constructor.
  function replace(name, guarded) {
    const original = global[name];
    for (const key of names(original)) {
      const d = describe(original, key);
      if (key === 'prototype' || key === 'length' || key === 'name') define(guarded, key, { value: d.value });
      else define(guarded, key, d);
    }
    if (proto(original) !== Function.prototype) setProto(guarded, proto(original));
    define(original.prototype, 'constructor', { value: guarded, writable: true, configurable: true });
    global[name] = guarded;
  }

  for (const name of ['Set', 'Map', 'WeakSet', 'WeakMap']) {
    const original = global[name];
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

  for (const name of ['Error', 'TypeError', 'RangeError', 'SyntaxError', 'ReferenceError', 'EvalError', 'URIError', 'AggregateError']) {
    const original = global[name], many = name === 'AggregateError';
    const guarded = function (...args) {
      errorPaid();
      if (many && args.length > 0) args[0] = source(args[0]);
      return construct(original, args, new.target === undefined || new.target === guarded ? original : new.target);
    };
    replace(name, guarded);
    if (name !== 'Error') setProto(global[name], global.Error);
  }

  if (host.typedArrays) {
    const width = { Float64Array: 8, BigInt64Array: 8, BigUint64Array: 8, Int32Array: 4, Uint32Array: 4, Float32Array: 4, Int16Array: 2, Uint16Array: 2,
      Int8Array: 1, Uint8Array: 1, Uint8ClampedArray: 1, ArrayBuffer: 1 };
    for (const name of names(width)) {
      const original = global[name], bytes = width[name];
      const guarded = function (first, offset, length) {
        if (!new.target) throw new TypeError('Constructor ' + name + " requires 'new'");
        return construct(original, [buffer(first, bytes), offset, length], new.target === guarded ? original : new.target);
      };
      replace(name, guarded);
    }
  }
  if (host.bigints) {
    const original = BigInt;
    replace('BigInt', function (value) {
      if (new.target) throw new TypeError('BigInt is not a constructor');
      return original(bigint(value));
    });
  } else {
    delete global.BigInt;
  }

  const functionProto = proto(function () {});
  const hidden = [
    proto(async function () {}), proto(function* () {}), proto(proto(function* () {}.prototype)),
    proto([][Symbol.iterator]()), proto(new Map()[Symbol.iterator]()), proto(new Set()[Symbol.iterator]()),
    proto(''[Symbol.iterator]()),
  ];
  const stub = function Function(text) {
    if (text === 'return this') return function () { return global; };
    throw new TypeError('Function is not offered to guests');
  };
  define(stub, 'prototype', { value: functionProto, writable: false });
  for (const p of [functionProto, hidden[0], hidden[1]]) {
    if (describe(p, 'constructor')) define(p, 'constructor', { value: stub, writable: false, configurable: false });
  }
  global.Function = stub;
  for (const name of ['eval', 'Proxy', 'SharedArrayBuffer', 'Atomics', 'GoError']) delete global[name];
  if (!host.typedArrays) {
    for (const name of ['ArrayBuffer', 'DataView', 'Int8Array', 'Uint8Array', 'Uint8ClampedArray', 'Int16Array', 'Uint16Array',
      'Int32Array', 'Uint32Array', 'Float32Array', 'Float64Array', 'BigInt64Array', 'BigUint64Array']) delete global[name];
  }
  for (const name of ['__proto__', '__defineGetter__', '__defineSetter__', '__lookupGetter__', '__lookupSetter__']) delete Object.prototype[name];
  // goja's registry of symbols has no bound; generators that are async need it (the bundler's).
  Symbol.for = function (key) {
    key = String(key);
    let known = registry.get(key);
    if (known === undefined) {
      if (registry.size >= 1000) throw new TypeError('Symbol.for knows 1,000 names at most here');
      registry.set(key, known = symbol(key));
    }
    return known;
  };
  Symbol.keyFor = function (known) {
    for (const [key, value] of registry) if (value === known) return key;
  };
  host.forget = () => registry.clear();
  // What calls or constructs a built-in out of a frame of its own: the engine counts those.
  host.frame = function (target) {
    const framed = function (...args) { return new.target ? construct(target, args, new.target === framed ? target : new.target) : target(...args); };
    for (const key of ['name', 'length']) define(framed, key, { value: target[key], configurable: true });
    define(framed, Symbol.hasInstance, { value: (v) => v instanceof target });
    return framed;
  };
  delete Error.captureStackTrace;

  const roots = hidden;
  for (const key of names(global)) {
    const value = global[key];
    if ((typeof value === 'object' && value !== null && value !== global) || typeof value === 'function') roots.push(value);
  }
  return roots;
})
