// kind: fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	new RegExp('a',{toString(){for(;;);}})
}
