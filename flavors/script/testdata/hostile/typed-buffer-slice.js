// kind: memory fuel
// allow: bigint typed_arrays
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const b=new ArrayBuffer(1e7),a=[];for(;;)a.push(b.slice(0))
}
