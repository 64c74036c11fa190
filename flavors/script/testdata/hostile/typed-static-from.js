// kind: fuel
// allow: bigint typed_arrays
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	Uint8Array.from({[Symbol.iterator]:()=>({next:Object})})
}
