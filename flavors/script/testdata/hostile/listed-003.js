// kind: fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	try{throw 1}finally{for(;;){}}
}
