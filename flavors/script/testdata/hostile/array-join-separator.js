// kind: memory
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	new Array(100).join('x'.repeat(1e6))
}
