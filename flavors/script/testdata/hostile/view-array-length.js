// kind: memory
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	msg.payload.a.length=2**32-1;return msg
}
