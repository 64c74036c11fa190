// guests/*/fulfil in JavaScript: ships an order once it is paid.
export function fold(state, msg) {
  if (msg.topic === 'orders') state = { total: msg.value.total, paid: 0 }
  else if (state === null) throw new Error('a payment before its order')
  else state.paid += msg.value.amount

  if (state.paid < state.total) return { state }
  return { state: null, emit: [{ to: 'shipments', value: { order: msg.key, paid: state.paid } }] }
}
