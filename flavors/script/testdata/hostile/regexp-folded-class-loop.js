// kind: fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	for (let i = 0; ; i++) new RegExp('[\\u0000-\\uffff]'.repeat(15) + i, 'i').test('a')
}
