// kind: stack
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const o = {toISOString: Date.prototype.toJSON}; Date.prototype.toJSON.call(o)
}
