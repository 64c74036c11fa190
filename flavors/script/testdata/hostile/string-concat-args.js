// kind: memory
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const s='x'.repeat(4e6);s.concat(s,s,s)
}
