// kind: fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	JSON.parse('['+'1,'.repeat(4e6)+'1]')
}
