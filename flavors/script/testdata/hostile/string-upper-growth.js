// kind: memory
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	let s='\u0390'.repeat(1000);for(;;)s=(s+s).toUpperCase()
}
