// kind: output
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const m = new Map(); m.toJSON = () => m; return { payload: { m } }
}
