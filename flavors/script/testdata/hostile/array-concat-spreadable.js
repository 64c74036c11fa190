// kind: memory
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const o={length:1e9,[Symbol.isConcatSpreadable]:true}; [].concat(o)
}
