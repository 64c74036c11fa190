// kind: fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	let s='ß';for(;;)s=(s+s).toUpperCase()
}
