// kind: fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	'x'.repeat(4e6).match(/(?:)/g)
}
