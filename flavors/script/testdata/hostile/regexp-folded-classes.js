// kind: guest
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	new RegExp('[\\u0000-\\uffff]'.repeat(2000), 'i').test('a')
}
