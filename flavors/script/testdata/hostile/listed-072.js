// kind: timeout
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	/^(?=(a+)+$)a/.test('a'.repeat(34)+'!')
}
