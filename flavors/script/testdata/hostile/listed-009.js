// kind: stack
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const o={get x(){return o.x}}; o.x
}
