// kind: guest
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	Error.prototype.toString=()=>{for(;;);}
}
