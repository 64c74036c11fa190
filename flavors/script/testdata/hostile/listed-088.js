// kind: fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const a=[];for(;;)a.push([1,2,3,4,5,6,7,8])
}
