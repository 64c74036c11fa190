// kind: memory
// allow: bigint typed_arrays
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	BigInt({toString(){return '9'.repeat(8e6)}})
}
