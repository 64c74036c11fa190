// kind: fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const s='\u00e9'.repeat(4e6);for(;;)s.at(-1)
}
