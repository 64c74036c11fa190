// kind: memory fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const big=new Array(1e6).fill(0); new Array(1000).fill(0).flatMap(()=>big)
}
