// kind: fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	try{for(;;){}}catch(e){}
}
