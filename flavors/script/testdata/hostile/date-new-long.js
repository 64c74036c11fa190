// kind: fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const s='2020-01-01T'.repeat(7e5);for(;;)new Date(s)
}
