// The AssemblyScript program of package wasm's proofs; it does what words/go does.
import { emit, register } from "../../../../guests/assemblyscript/leat";
export { leat_room, transform } from "../../../../guests/assemblyscript/leat";

// A comparison captures nothing, so that what it needs is the module's.
let counts = new Map<string, i32>();

function words(payload: Uint8Array): void {
  if (payload.length > 0 && payload[0] == 0x3d) {
    emit(payload);
    return;
  }
  counts = new Map<string, i32>();
  const parts = String.UTF8.decode(payload.buffer.slice(payload.byteOffset, payload.byteOffset + payload.length)).replaceAll("\n", " ").split(" ");
  for (let i = 0; i < parts.length; i++) {
    const word = parts[i].trim();
    if (word.length > 0) counts.set(word, counts.has(word) ? counts.get(word) + 1 : 1);
  }
  const order = counts.keys();
  order.sort((a: string, b: string): i32 => {
    const more = counts.get(b) - counts.get(a);
    return more != 0 ? more : a < b ? -1 : a > b ? 1 : 0;
  });
  let out = "";
  for (let i = 0; i < order.length; i++) out += order[i] + " " + counts.get(order[i]).toString() + "\n";
  emit(Uint8Array.wrap(String.UTF8.encode(out)));
}

register(words);
