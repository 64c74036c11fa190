// kind: memory
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	let s='x';for(;;)s=[s,s].join('')
}
