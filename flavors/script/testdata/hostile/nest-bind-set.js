// kind: stack
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const o = {}; Object.defineProperty(o, 'x', {set: Reflect.set.bind(null, o, 'x')}); o.x = 1
}
