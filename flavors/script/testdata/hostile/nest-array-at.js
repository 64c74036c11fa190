// kind: stack
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const o = {}; Object.defineProperty(o, 'length', {get: Array.prototype.at}); o.length
}
