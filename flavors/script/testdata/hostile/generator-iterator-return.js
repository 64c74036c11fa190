// kind: fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	for(const x of {[Symbol.iterator]:()=>({next:()=>({value:1}),return(){for(;;);}})})break
}
