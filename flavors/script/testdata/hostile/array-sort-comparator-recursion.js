// kind: stack
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	function f(){[2,1].sort(f)} f()
}
