// kind: stack
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	async function f(){await f()} return f()
}
