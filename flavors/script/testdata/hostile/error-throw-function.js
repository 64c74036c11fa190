// kind: guest
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	throw ()=>{for(;;);}
}
