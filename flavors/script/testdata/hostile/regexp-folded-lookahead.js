// kind: guest
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	new RegExp('(?=x)' + '[\\u0000-\\uffff]'.repeat(3000), 'i').test('x')
}
