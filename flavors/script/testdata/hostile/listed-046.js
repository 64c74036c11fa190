// kind: fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const a=[];a.length=2**32-1;for(const x of a);
}
