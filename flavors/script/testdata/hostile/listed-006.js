// kind: stack
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	function f(){[1].forEach(f)} f()
}
