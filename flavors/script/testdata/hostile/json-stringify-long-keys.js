// kind: memory
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const o={};o['k'.repeat(4e6)]=1;o['l'.repeat(4e6)]=1;o['m'.repeat(4e6)]=1;JSON.stringify(o)
}
