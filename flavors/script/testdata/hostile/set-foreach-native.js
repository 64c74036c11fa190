// kind: fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const s=new Set(new Array(1e5).fill(0).map((_,i)=>i));for(;;)s.forEach(Object)
}
