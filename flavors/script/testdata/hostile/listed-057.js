// kind: memory
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	let s='x';for(;;)s=s.replace(/x/g,s+s)
}
