// kind: fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const a=[];for(let i=0;i<1e5;i++)a.push(i);for(;;)JSON.stringify(a,Object)
}
