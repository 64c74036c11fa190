// kind: fuel
// allow: bigint typed_arrays
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const x=7n**300000n;for(;;)x.toString()
}
