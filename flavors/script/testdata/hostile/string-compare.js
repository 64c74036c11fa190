// kind: timeout
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const a='\u00e9'.repeat(4e6),b='\u00e9'.repeat(4e6);for(;;)a<b
}
