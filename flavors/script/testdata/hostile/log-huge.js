// kind: fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const s='x'.repeat(8e6);for(;;)console.log(s)
}
