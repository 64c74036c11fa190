// kind: memory fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const o={};for(;;)o[Symbol()]=1
}
