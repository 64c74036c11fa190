// kind: guest
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	Math.hypot.apply(null,{length:2**31})
}
