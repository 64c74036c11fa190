// Notes where every record with a value came from, and passes its headers on. It means the same as
// guests/c/audit.
import { Call, fail, member, registerStage } from "../leat";
export { handle, leat_room } from "../leat";

function audit(call: Call): string | null {
  if (call.value == "null") return null; // a deletion: nothing to note
  if (!call.value.startsWith("{")) {
    fail("the value is no object");
    return null;
  }
  const offset = member(call.msg, "offset")!, headers = member(call.msg, "headers")!;
  return `[{"to":"audit","value":{"topic":${call.topic},"offset":${offset},"value":${call.value}},"headers":${headers}}]`;
}

registerStage(audit); // last: what it uses must be initialised before
