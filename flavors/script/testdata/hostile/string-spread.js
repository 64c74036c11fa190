// kind: memory fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	for(;;)[...'x'.repeat(1e5)]
}
