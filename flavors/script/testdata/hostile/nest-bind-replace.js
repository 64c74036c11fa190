// kind: stack
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const o = {}; o[Symbol.replace] = String.prototype.replace.bind('a', o); 'a'.replace(o)
}
