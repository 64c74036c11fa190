// kind: guest
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	Object.defineProperty(msg.payload,'x',{get(){for(;;);}});return msg
}
