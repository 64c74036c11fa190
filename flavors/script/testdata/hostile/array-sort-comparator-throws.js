// kind: guest
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	[3,2,1].sort(()=>{throw new Error('no')})
}
