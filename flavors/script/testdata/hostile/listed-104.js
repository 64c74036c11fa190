// kind: fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	Promise.all(new Array(1e6).fill(1))
}
