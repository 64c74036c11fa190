// Adds its total to every order.

import { emit, fail, register } from "./leat";
export { leat_room, transform } from "./leat";

function total(payload: Uint8Array): void {
  const order = String.UTF8.decodeUnsafe(payload.dataStart, payload.length);
  const qty = number(order, "qty");
  if (isNaN(qty)) return fail("the order has no qty");
  if (qty == 0) return; // nothing was ordered: no output filters the message
  const price = number(order, "price");
  if (isNaN(price)) return fail("the order has no price");
  const end = order.lastIndexOf("}");
  emit(Uint8Array.wrap(String.UTF8.encode(order.slice(0, end) + ",\"total\":" + (qty * price).toString() + "}")));
}

// The number behind a name in a flat object. For more than that, bring a JSON library.
function number(object: string, name: string): f64 {
  const key = "\"" + name + "\":";
  const at = object.indexOf(key);
  return at < 0 ? NaN : parseFloat(object.slice(at + key.length));
}

register(total);
