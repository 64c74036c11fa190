// kind: guest
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	let n=0; Array.prototype.includes.call({length:{valueOf(){return n++?2**53-1:1}}},1)
}
