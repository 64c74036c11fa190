// kind: memory
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	msg.payload.a.length=1e9;return msg
}
