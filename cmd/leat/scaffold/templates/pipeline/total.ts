/// <reference path="./leat.d.ts" />
// Adds its total to every order. What is not touched leaves byte for byte.

interface Order { id: string; qty?: number; price: number; total?: number }

export default function total(msg: leat.Message<Order>, ctx: leat.Context): leat.Result {
  const order = msg.payload;
  if (order.qty === undefined) throw new Error(`order ${order.id} has no qty`);
  if (order.qty === 0) return null; // nothing was ordered: the message is filtered
  order.total = order.qty * order.price;
  return msg;
}
