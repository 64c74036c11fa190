// kind: memory
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	Array.from({length:1e9})
}
