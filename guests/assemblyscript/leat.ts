// Write a transform in AssemblyScript. This is the guest's side of ABI leat/1
// (flavors/wasm/README.md) and owns everything about it.
//
//   import { register, emit } from "./leat";
//   export { leat_room, transform } from "./leat";
//
//   register((payload: Uint8Array): void => { emit(payload); });

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
