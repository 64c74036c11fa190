// kind: stack
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const o={valueOf(){return +o}}; +o
}
