// kind: fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	let s='\u00e9'.repeat(1000);for(;;)s=encodeURI(s+s)
}
