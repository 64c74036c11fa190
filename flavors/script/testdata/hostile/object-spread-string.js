// kind: memory fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const all=[];for(;;)all.push({...'x'.repeat(1e5)})
}
