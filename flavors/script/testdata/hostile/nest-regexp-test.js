// kind: stack
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const r = /a/; r.exec = RegExp.prototype.test; r.test('a')
}
