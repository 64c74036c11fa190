// kind: memory
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	Array.prototype.push.call({length:2**53-1},1)
}
