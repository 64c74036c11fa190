// kind: memory
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	Array.prototype.fill.call({length:1e8},1)
}
