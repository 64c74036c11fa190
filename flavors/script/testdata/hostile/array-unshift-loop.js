// kind: memory fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const a=[];for(;;)a.unshift(1,2,3,4)
}
