// kind: output
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	return new Array(20000).fill(msg)
}
