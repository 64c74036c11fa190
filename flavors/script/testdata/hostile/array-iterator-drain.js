// kind: memory fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const it=new Array(1e6).fill(0)[Symbol.iterator]();for(;;)[...it]
}
