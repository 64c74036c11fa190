// kind: memory fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const m=new Map([[0,0]]);m.forEach((v,k)=>m.set(k+1,0))
}
