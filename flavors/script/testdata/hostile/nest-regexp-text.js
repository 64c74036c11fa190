// kind: stack
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const r = /a/; Object.defineProperty(r, 'source', {get: RegExp.prototype.toString}); '' + r
}
