// kind: memory
// allow: bigint typed_arrays
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	BigInt.asUintN(2**53-1,-1n)
}
