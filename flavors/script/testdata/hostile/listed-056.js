// kind: memory
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	let s='xx';for(;;)s=s.replaceAll('x',s)
}
