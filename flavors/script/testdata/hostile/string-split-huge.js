// kind: memory
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	'x'.repeat(8e6).split('')
}
