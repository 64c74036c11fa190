// kind: memory fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	function f(){return f(...arguments,...arguments)} f(1)
}
