// kind: fuel
// allow: bigint typed_arrays
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const u=new Float64Array(1e6);for(;;)u.sort()
}
