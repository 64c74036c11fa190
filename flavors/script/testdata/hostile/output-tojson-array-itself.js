// kind: value
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const a = [1]; a.toJSON = () => a; return { payload: { a } }
}
