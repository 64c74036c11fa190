// kind: memory fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	let a=[];for(let i=0;i<500000;i++)a=[a];a.flat(Infinity)
}
