// kind: fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	let a={a:1};for(let i=0;;i++)a={...a,['k'+i]:a}
}
