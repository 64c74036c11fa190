// kind: memory
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	let s='a';for(;;)s=JSON.stringify(s+s)
}
