// kind: fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	for(;;)console.log('x'.repeat(1000))
}
