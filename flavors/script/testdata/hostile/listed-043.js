// kind: memory
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	new Array(2**32-1).join('x')
}
