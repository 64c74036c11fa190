// kind: stack
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	let f = Date; for (let i = 0; i < 1000; i++) f = f.bind(); f()
}
