// kind: fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const s='\u00e9'.repeat(2e6)+'x',t='y'+'\u00e9'.repeat(1e6);for(;;)s.lastIndexOf(t)
}
