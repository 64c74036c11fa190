// kind: guest
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	new Date(8.64e15+1).toISOString()
}
