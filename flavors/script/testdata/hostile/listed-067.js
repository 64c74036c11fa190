// kind: guest
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	String.fromCharCode.apply(null,{length:2**30})
}
