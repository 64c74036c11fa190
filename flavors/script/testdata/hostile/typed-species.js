// kind: guest
// allow: bigint typed_arrays
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	class U extends Uint8Array{static get [Symbol.species](){return Array}} new U(10).map(x=>x)
}
