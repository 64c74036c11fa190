// kind: output
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	msg.payload.self=msg.payload;return msg
}
