// kind: guest
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	let o={};for(;;)o=Object.create(o)
}
