// kind: guest
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	Math.max.apply(null,{length:2**31})
}
