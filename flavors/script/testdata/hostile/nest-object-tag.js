// kind: stack
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const o = {}; Object.defineProperty(o, Symbol.toStringTag, {get: Object.prototype.toString}); '' + o
}
