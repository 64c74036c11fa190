// kind: memory
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const a=[];a[4e9]=1;a.map(x=>x)
}
