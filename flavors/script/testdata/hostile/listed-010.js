// kind: stack
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const o={toJSON(){return JSON.stringify(o)}}; JSON.stringify(o)
}
