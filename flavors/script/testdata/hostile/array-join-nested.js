// kind: memory
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const s='x'.repeat(1e6); new Array(1000).fill([[s]]).join()
}
