// kind: output
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	let p=msg.payload;for(let i=0;i<1e5;i++)p={p};return {payload:p}
}
