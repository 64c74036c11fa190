// kind: memory fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	for(let i=0;;i++)msg.meta['k'+i]='v'.repeat(1000)
}
