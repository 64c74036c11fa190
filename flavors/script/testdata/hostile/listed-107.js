// kind: fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	'x'.localeCompare('y'.repeat(1e6))
}
