// kind: guest
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	Object.getPrototypeOf(function*(){}).prototype.next=1
}
