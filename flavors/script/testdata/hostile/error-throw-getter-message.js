// kind: guest
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const e=new Error();Object.defineProperty(e,'message',{get(){for(;;);}});throw e
}
