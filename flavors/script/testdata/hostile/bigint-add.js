// kind: fuel
// allow: bigint typed_arrays
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	let x=1n;for(;;)x+=x
}
