// kind: guest
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	Promise.reject(new Error('late'));return msg
}
