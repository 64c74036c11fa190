// kind: memory
// allow: bigint typed_arrays
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	new Uint8Array(1e7).join('x'.repeat(1000))
}
