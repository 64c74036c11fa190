// kind: stack
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	let o = {}; for (let i = 0; i < 2000; i++) { const inner = o; o = {toString: String.prototype.concat.bind('a', inner)} } '' + o
}
