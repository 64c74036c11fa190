// kind: guest
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	throw new Error('x'.repeat(8e6))
}
