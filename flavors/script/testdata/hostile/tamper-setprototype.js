// kind: guest
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	Object.setPrototypeOf(Array.prototype,{})
}
