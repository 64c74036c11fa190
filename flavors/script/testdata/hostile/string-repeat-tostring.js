// kind: memory
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	String.prototype.repeat.call({toString(){return 'xxxx'}},1e9)
}
