// kind: memory
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	String.prototype.repeat.call(1234567890,1e9)
}
