// kind: fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	JSON.parse({toString(){return '['.repeat(1e6)}})
}
