// kind: guest
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	Object.assign(Object.prototype,{a:1})
}
