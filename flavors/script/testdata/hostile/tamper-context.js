// kind: guest
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	ctx.constants.x=1
}
