// kind: memory
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	Object.keys('x'.repeat(4e6))
}
