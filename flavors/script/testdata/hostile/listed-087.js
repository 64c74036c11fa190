// kind: runtime
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	Array.prototype.findIndex.call({length:1},Boolean)
}
