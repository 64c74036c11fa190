// kind: memory
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	'\ufdfa'.repeat(2e6).normalize('NFKD')
}
