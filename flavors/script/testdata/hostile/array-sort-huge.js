// kind: memory fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const a=new Array(2e6).fill(0).map((_,i)=>-i); a.sort()
}
