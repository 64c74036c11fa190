// kind: guest
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const o={toJSON(){return {a:o,b:o}}};JSON.stringify(o)
}
