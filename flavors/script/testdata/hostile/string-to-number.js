// kind: timeout
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const s='1'.repeat(8e6);for(;;)+s
}
