// kind: fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	let s='a';for(;;)s=escape(s+s)
}
