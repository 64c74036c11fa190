// kind: output
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	let n=0;'x'.padEnd({valueOf(){return n++?1e9:1}})
}
