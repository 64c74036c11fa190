// kind: guest
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	JSON.stringify([1],(k,v)=>[v,v])
}
