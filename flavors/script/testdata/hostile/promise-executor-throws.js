// kind: guest
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	return new Promise(()=>{throw new Error('no')})
}
