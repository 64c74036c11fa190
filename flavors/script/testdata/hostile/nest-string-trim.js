// kind: stack
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const o = {toString: String.prototype.trim}; '' + o
}
