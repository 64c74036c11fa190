// kind: memory fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const a=[];for(let i=0;;i++)a.push(Symbol('s'+i))
}
