// kind: fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	let a=new Set();for(let i=0;i<1e5;i++)a.add(i);for(;;)a.union(a)
}
