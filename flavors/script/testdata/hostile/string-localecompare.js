// kind: fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const s='\u00e9'.repeat(1e6),t='e\u0301'.repeat(1e6);for(;;)s.localeCompare(t)
}
