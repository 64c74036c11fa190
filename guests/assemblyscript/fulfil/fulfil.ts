// Ships an order once it is paid. It means the same as guests/go/fulfil.
import { Call, fail, member, registerStage } from "../leat";
export { fold, leat_room } from "../leat";

function fulfil(call: Call): string | null {
  const isOrder = call.topic == '"orders"';
  if (!isOrder && call.state == "null") {
    fail("a payment before its order");
    return null;
  }
  let total = number(call.state, "total"), paid = number(call.state, "paid");
  if (isOrder) {
    total = number(call.value, "total");
    paid = 0;
  } else {
    paid += number(call.value, "amount");
  }
  if (paid < total) return `{"state":{"total":${total},"paid":${paid}}}`;
  return `{"state":null,"emit":[{"to":"shipments","value":{"order":${call.key},"paid":${paid}}}]}`;
}

// A member that is a whole number; 0 where there is none. What is thrown is a failure of kind guest.
function number(object: string, name: string): i64 {
  const text = member(object, name);
  if (text === null) return 0;
  const n = I64.parseInt(text);
  if (n.toString() != text) throw new Error(name + " is no number");
  return n;
}

registerStage(fulfil); // last: what it uses must be initialised before
