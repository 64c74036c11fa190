// kind: fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	for(;;){try{return msg}finally{continue}}
}
