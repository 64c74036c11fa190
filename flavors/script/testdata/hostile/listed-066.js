// kind: memory
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	Math.max(...new Array(2**28))
}
