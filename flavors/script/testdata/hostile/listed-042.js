// kind: memory
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const a=new Array(2**32-1);a[5]=1;a.sort()
}
