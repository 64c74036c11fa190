// kind: fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	return {get payload(){for(;;){}}}
}
