// kind: fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const s='\u00e9'.repeat(4e6),t='\u00e9'.repeat(2e6)+'x';for(;;)s.indexOf(t)
}
