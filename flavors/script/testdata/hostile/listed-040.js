// kind: memory
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	for(const m of ['indexOf','includes','fill','reverse','join','slice','sort','copyWithin','unshift','lastIndexOf']) Array.prototype[m].call({length:2**53-1})
}
