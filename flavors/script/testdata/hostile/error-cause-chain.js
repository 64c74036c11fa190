// kind: memory fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	let e;for(;;)e=new Error('x',{cause:e})
}
