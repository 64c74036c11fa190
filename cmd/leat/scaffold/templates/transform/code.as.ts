// {{.Node}} passes every message on and marks it.

import { emit, register, setMeta } from "./leat";
export { leat_room, transform } from "./leat";

// Emit nothing to filter the message; call fail("why") and return to dead-letter it.
function mark(payload: Uint8Array): void {
  setMeta("{{.Node}}", "done");
  emit(payload);
}

register(mark);
