// kind: fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	let a=[1,2];for(;;)a=a.toSpliced(0,0,...a)
}
