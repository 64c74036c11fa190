// kind: memory
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	msg.key='x'.repeat(8e6)+'y'.repeat(1e6);return msg
}
