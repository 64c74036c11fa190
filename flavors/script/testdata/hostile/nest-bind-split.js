// kind: stack
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const o = {}; o[Symbol.split] = String.prototype.split.bind('a', o); 'a'.split(o)
}
