// kind: fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	for(;;)JSON.parse('['+'1,'.repeat(1e4)+'1]',Object)
}
