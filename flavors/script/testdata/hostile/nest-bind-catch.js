// kind: stack
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const o = {}; o.then = Promise.prototype.catch.bind(o); Promise.prototype.catch.call(o)
}
