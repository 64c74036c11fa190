// kind: output
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const o={toJSON(){return o}};return {payload:o}
}
