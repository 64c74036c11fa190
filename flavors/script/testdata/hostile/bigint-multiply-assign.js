// kind: memory
// allow: bigint typed_arrays
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	let x=3n;for(;;)x*=x
}
