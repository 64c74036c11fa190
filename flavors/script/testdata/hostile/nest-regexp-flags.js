// kind: stack
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const r = /a/; Object.defineProperty(r, 'global', {get: Object.getOwnPropertyDescriptor(RegExp.prototype, 'flags').get}); r.flags
}
