// kind: fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	let a=[1];for(let i=0;i<33;i++)a=[a,a];a+''
}
