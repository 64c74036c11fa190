// kind: guest
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	Object.defineProperty(String.prototype,'x',{value:1})
}
