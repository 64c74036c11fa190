// kind: stack
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const o = {}; o.valueOf = Math.max.bind(null, o); +o
}
