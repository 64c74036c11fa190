// kind: memory fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const a=[];for(;;)a.push('x'.repeat(1e5).split(''))
}
