// kind: memory
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	return {payload:'x'.repeat(8e6)+'y'.repeat(1e6)}
}
