// kind: memory fuel
// allow: bigint typed_arrays
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const a=[];for(;;)a.push(new Float64Array(1e5))
}
