// kind: stack
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const o = {}; o.toJSON = JSON.stringify.bind(JSON, o); JSON.stringify(o)
}
