// kind: output
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const r=/(a+)+$/y;r.lastIndex=1;r.test('a'.repeat(34)+'!')
}
