// kind: memory
// allow: bigint typed_arrays
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	let u=new Uint8Array(6e6);u.toHex()
}
