// kind: memory
// allow: bigint typed_arrays
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	new Uint8Array({length:2**40})
}
