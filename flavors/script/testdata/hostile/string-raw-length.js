// kind: memory
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	String.raw({raw:{length:2**53-1}})
}
