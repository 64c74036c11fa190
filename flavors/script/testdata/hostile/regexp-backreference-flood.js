// kind: timeout
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	/(x+x+)+\1y/.test('x'.repeat(60))
}
