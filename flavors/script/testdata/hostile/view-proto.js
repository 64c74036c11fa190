// kind: fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	msg.payload.__proto__={get a(){for(;;);}};return msg
}
