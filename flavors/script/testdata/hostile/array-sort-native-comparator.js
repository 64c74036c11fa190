// kind: fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const a=new Array(1e6).fill(1); for(;;)a.sort(Math.max)
}
