// kind: fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	JSON.stringify({get a(){for(;;);}})
}
