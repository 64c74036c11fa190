// kind: stack
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const o = {toString: Error.prototype.toString}; o.message = o; '' + o
}
