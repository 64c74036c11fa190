// kind: stack
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const o = {toString: Object.prototype.toLocaleString}; '' + o
}
