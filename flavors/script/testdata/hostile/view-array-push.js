// kind: memory fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	for(;;)msg.payload.a.push('x')
}
