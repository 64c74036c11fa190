// kind: stack
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const o = {}; Object.defineProperty(o, 'then', {get: Promise.resolve.bind(Promise, o)}); new Promise((settle) => settle(o))
}
