// kind: guest
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	Array.prototype.fill.call({get length(){return 2**53-1}},1)
}
