// kind: fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const r=/a/g;r.lastIndex={valueOf(){for(;;);}};r.test('a')
}
