// kind: stack
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const o = {}; o[Symbol.toPrimitive] = Symbol.bind(null, o); '' + o
}
