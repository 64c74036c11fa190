/// <reference path="./leat.d.ts" />
// {{.Node}} passes every message on and marks it.

export default function (msg: leat.Message, ctx: leat.Context): leat.Result {
  // Read and change msg.payload here: what you do not touch leaves byte for byte.
  // Return null to filter the message, an array for several, throw to dead-letter it.
  msg.meta["{{.Node}}"] = "done";
  return msg;
}
