// kind: fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const a=[];Object.defineProperty(a,0,{get(){for(;;);}});return a
}
