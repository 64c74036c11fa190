// kind: output
// allow: bigint typed_arrays
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	return {payload:{n:10n}}
}
