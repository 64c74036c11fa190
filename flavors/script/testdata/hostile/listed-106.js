// kind: fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	[1,2,3].sort(()=>{for(;;){}})
}
