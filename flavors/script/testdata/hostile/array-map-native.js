// kind: fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const a=new Array(1e5).fill(1); for(;;)a.map(Object)
}
