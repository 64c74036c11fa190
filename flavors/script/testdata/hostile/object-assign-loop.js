// kind: memory fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const o={};for(let i=0;i<1e4;i++)o['k'+i]=i;const all=[];for(;;)all.push(Object.assign({},o))
}
