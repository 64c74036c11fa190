// guests/c/audit in JavaScript.
export function handle(msg) {
  if (msg.value === null) return null
  if (typeof msg.value !== 'object' || Array.isArray(msg.value)) throw new Error('the value is no object')
  return [{ to: 'audit', value: { topic: msg.topic, offset: msg.offset, value: msg.value }, headers: msg.headers }]
}
