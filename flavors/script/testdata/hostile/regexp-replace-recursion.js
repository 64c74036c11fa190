// kind: stack
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	function f(){return 'a'.replace(/a/,f)} f()
}
