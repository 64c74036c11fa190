// kind: memory
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	'x'.padStart(2**31,'ab')
}
