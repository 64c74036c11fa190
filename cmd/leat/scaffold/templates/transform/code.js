// {{.Node}} passes every message on and marks it.

/** @param {leat.Message} msg @param {leat.Context} ctx @returns {leat.Result} */
export default function (msg, ctx) {
  // Read and change msg.payload here: what you do not touch leaves byte for byte.
  // Return null to filter the message, an array for several, throw to dead-letter it.
  msg.meta["{{.Node}}"] = "done";
  return msg;
}
