// kind: memory
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	new String('x').repeat(1e9)
}
