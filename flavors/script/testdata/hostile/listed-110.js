// kind: fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	'x'.at({valueOf(){for(;;){}}})
}
