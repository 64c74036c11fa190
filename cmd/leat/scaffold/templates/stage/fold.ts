/// <reference path="./leat.d.ts" />
// Ships an order once it is paid. The state is one order; null deletes it.

interface Order { total: number; paid: number }

export function fold(state: Order | null, msg: leat.TopicRecord, ctx: leat.Context): leat.Folded<Order> {
  if (msg.topic === 'orders') state = { total: msg.value.total, paid: 0 };
  else if (state === null) throw new Error('a payment before its order');
  else state.paid += msg.value.amount;

  if (state.paid < state.total) return { state };
  return { state: null, emit: [{ to: 'shipments', value: { order: msg.key, paid: state.paid } }] };
}
