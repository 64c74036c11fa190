// kind: memory
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	'x'.padEnd(2**40)
}
