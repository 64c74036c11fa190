// Write a transform, or the guest of a causal stage, in AssemblyScript. This is the guest's side
// of ABI leat/1 (flavors/wasm/README.md) and owns everything about it.
//
//   import { register, emit } from "./leat";
//   export { leat_room, transform } from "./leat";
//
//   register((payload: Uint8Array): void => { emit(payload); });
//
// The guest of a stage hands on fold or handle in place of transform:
//
//   import { Call, registerStage } from "./leat";
//   export { fold, leat_room } from "./leat";
//
//   registerStage((call: Call): string | null => { // a state that counts the records of a key
//     const n = call.state == "null" ? 1 : I32.parseInt(call.state) + 1;
//     return `{"state":${n}}`;
//   });

@external("leat", "emit") declare function hostEmit(at: usize, length: i32): void;
@external("leat", "fail") declare function hostFail(at: usize, length: i32): void;
@external("leat", "meta_get") declare function hostMetaGet(key: usize, keyLength: i32, buffer: usize, capacity: i32): i32;
@external("leat", "meta_set") declare function hostMetaSet(key: usize, keyLength: i32, value: usize, length: i32): void;
@external("leat", "log") declare function hostLog(level: i32, at: usize, length: i32): void;

// The time at which the message was admitted, in milliseconds since 1970.
@external("leat", "now") export declare function now(): i64;

type Handler = (payload: Uint8Array) => void;

let handler: Handler = (payload: Uint8Array): void => {};
let failed = false;

// The room that the host writes messages into, until it asks for more. The module holds it, so that
// the collector leaves it where it is.
let room = new ArrayBuffer(0);

// register makes a function the module's transform. Its payload is valid until it returns.
export function register(f: Handler): void { handler = f; }

// emit hands one output over; the host copies it. No emit filters the message.
export function emit(payload: Uint8Array): void { hostEmit(payload.dataStart, payload.length); }

// fail makes the message a dead letter of kind guest. Return after it.
export function fail(why: string): void {
  const text = String.UTF8.encode(why);
  hostFail(changetype<usize>(text), text.byteLength);
  failed = true;
}

// meta returns an annotation of the message, or null; also leat.id, leat.key, leat.source.
export function meta(name: string): string | null {
  const key = String.UTF8.encode(name);
  let buffer = new ArrayBuffer(256);
  let length = hostMetaGet(changetype<usize>(key), key.byteLength, changetype<usize>(buffer), buffer.byteLength);
  if (length > buffer.byteLength) {
    buffer = new ArrayBuffer(length);
    length = hostMetaGet(changetype<usize>(key), key.byteLength, changetype<usize>(buffer), length);
  }
  return length < 0 ? null : String.UTF8.decodeUnsafe(changetype<usize>(buffer), length);
}

// setMeta annotates the next output.
export function setMeta(name: string, value: string): void {
  const key = String.UTF8.encode(name), text = String.UTF8.encode(value);
  hostMetaSet(changetype<usize>(key), key.byteLength, changetype<usize>(text), text.byteLength);
}

// log writes a line; level 0 is debug, 1 info, 2 warn, 3 error.
export function log(level: i32, text: string): void {
  const bytes = String.UTF8.encode(text);
  hostLog(level, changetype<usize>(bytes), bytes.byteLength);
}

export function leat_room(length: i32): usize {
  room = new ArrayBuffer(length);
  return changetype<usize>(room);
}

export function transform(at: usize, length: i32): i32 {
  failed = false;
  handler(Uint8Array.wrap(room, 0, length));
  return failed ? 1 : 0;
}

// Call is what the guest of a stage is given: the members of runtime.Entry's call, each as the JSON that
// it is.
export class Call {
  state: string; // of a fold: the state of the record's key, null where there is none
  topic: string; // the topic's name, in quotes
  key: string; // a string, {"base64": "..."} or null
  value: string;
  msg: string; // the record: it has partition, offset, timestamp and headers, too

  constructor(text: string) {
    const msg = orNull(member(text, "msg"));
    this.state = orNull(member(text, "state"));
    this.topic = orNull(member(msg, "topic"));
    this.key = orNull(member(msg, "key"));
    this.value = orNull(member(msg, "value"));
    this.msg = msg;
  }
}

function orNull(text: string | null): string { return text === null ? "null" : text; }

type StageGuest = (call: Call) => string | null;

// The address of the StageGuest: a variable of its type would bring the type into every transform.
let guest: usize = 0;

// registerStage makes a function the module's fold or handler, as the module exports fold or handle. It returns
// the answer as JSON: of a fold {"state": ..., "emit": [...]}, of a handler a list of emissions. null is for a handler that
// emits nothing, and goes after fail.
export function registerStage(f: StageGuest): void { guest = changetype<usize>(f); }

export function fold(at: usize, length: i32): i32 { return staged(length); }

export function handle(at: usize, length: i32): i32 { return staged(length); }

function staged(length: i32): i32 {
  failed = false;
  if (guest == 0) throw new Error("the module registers no guest of a stage");
  const answer = changetype<StageGuest>(guest)(new Call(String.UTF8.decodeUnsafe(changetype<usize>(room), length)));
  if (failed) return 1;
  if (answer !== null) emit(Uint8Array.wrap(String.UTF8.encode(answer)));
  return 0;
}

// member returns the value of an object's member, as it is written, or null: there is no such member, or the text
// is no object. Of two with one name it is the last; names are compared as they are written, escapes and all. The
// text is JSON, as all that the host gives to a stage is.
export function member(object: string, name: string): string | null {
  let found: string | null = null;
  let at = skip(object, 0, 0);
  if (charAt(object, at) != 0x7b) return null;
  at = skip(object, at + 1, 0);
  while (charAt(object, at) == 0x22) {
    const key = at + 1;
    at = valueEnd(object, at);
    const named = at - 1 - key == name.length && object.substring(key, at - 1) == name;
    const start = skip(object, at, 0x3a);
    at = valueEnd(object, start);
    if (named) found = object.substring(start, at);
    at = skip(object, at, 0x2c);
  }
  return found;
}

// charAt returns a code unit, 0 behind the end.
function charAt(text: string, at: i32): i32 { return at < text.length ? load<u16>(changetype<usize>(text) + (<usize>at << 1)) : 0; }

function isSpace(c: i32): bool { return c == 0x20 || c == 0x09 || c == 0x0a || c == 0x0d; }

// skip passes over space, and over one more character.
function skip(text: string, at: i32, also: i32): i32 {
  while (at < text.length && (isSpace(charAt(text, at)) || charAt(text, at) == also)) at++;
  return at;
}

// valueEnd returns where the value that begins at `at` ends.
function valueEnd(text: string, at: i32): i32 {
  let depth = 0, quoted = false;
  for (; at < text.length; at++) {
    const c = charAt(text, at);
    if (quoted) {
      if (c == 0x5c) at++;
      if (c == 0x22 && depth == 0) return at + 1;
      quoted = c != 0x22;
    } else if (c == 0x22) {
      quoted = true;
    } else if (c == 0x7b || c == 0x5b) {
      depth++;
    } else if (c == 0x7d || c == 0x5d) {
      if (depth == 0) return at;
      if (--depth == 0) return at + 1;
    } else if (depth == 0 && (c == 0x2c || isSpace(c))) {
      return at;
    }
  }
  return text.length;
}
