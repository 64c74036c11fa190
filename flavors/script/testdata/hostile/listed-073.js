// kind: timeout
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	/(a+)+\1$/.test('a'.repeat(34)+'!')
}
