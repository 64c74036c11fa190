// kind: stack
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const a = []; const f = Array.prototype.map.bind(a); a.push(f, f); a.map(f)
}
