// kind: guest
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const e=new Error('x');Object.defineProperty(e,'name',{get(){for(;;){}}});throw e
}
