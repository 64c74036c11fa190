// kind: stack
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const o = {}, d = {}; Object.defineProperty(d, 'value', {get: Object.defineProperty.bind(null, o, 'x', d)}); Object.defineProperty(o, 'x', d)
}
