// kind: memory
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const a=[];a.length=2**32-1;Object.keys(a)
}
