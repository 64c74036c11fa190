// kind: fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	(async()=>{for(;;)await 0})(); return msg
}
