// kind: memory fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const s=new Set();for(let i=0;;i++)s.add('key'+i)
}
