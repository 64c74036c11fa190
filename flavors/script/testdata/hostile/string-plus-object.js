// kind: memory
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const s='x'.repeat(8e6),o={toString(){return s}};return {payload:o+o}
}
