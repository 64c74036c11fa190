// kind: memory fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const o={};for(let i=0;;i++)Object.defineProperty(o,'k'+i,{get(){return i}})
}
