// kind: memory fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	let a={};for(let i=0;i<5e5;i++)a={a};JSON.stringify(a,null,10)
}
