// kind: memory
// allow: bigint typed_arrays
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const u=new Uint8Array(1e7);for(;;)u.set(u)
}
