// kind: memory
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	new String('x').padStart(1e9)
}
