// kind: fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	console.log({get a(){for(;;);}})
}
