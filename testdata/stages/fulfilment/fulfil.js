// Ships an order once it is paid. The state is one order: what it costs and what was paid.
// A payment is never seen before its order, since it claims it: no need to wait here.
export function fold(state, msg) {
  const order = state ?? { total: 0, paid: 0 }
  if (msg.topic === 'orders') order.total = msg.value.total
  else if (order.total === 0) throw new Error('a payment before its order')
  else order.paid += msg.value.amount

  if (order.paid < order.total) return { state: order }
  return { state: null, emit: [{ to: 'shipments', value: { order: msg.key, paid: order.paid } }] }
}
