// kind: memory
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const s='x'.repeat(4e6), o={toString(){return s}}; new Array(1000).fill(o).join()
}
