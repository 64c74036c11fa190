// kind: fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const m=new Map();for(let i=0;;i++)m.set(i,{})
}
