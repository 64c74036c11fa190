// kind: stack
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const o = {}; o.toString = String.bind(null, o); '' + o
}
