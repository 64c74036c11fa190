// kind: guest
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	(1e21).toFixed(101)
}
