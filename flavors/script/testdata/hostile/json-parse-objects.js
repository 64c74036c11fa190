// kind: fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	JSON.parse('['+'{},'.repeat(2e6)+'1]')
}
