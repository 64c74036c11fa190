// kind: memory
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const s='x'.repeat(1e6);s.replaceAll('x',s)
}
