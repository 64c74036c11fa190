// kind: fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	for(;;)for(const c of '\ud83d\ude00'.repeat(1e6));
}
