// kind: stack
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const next = Object.getPrototypeOf([].values()).next; let it = [1].values();
	for (let i = 0; i < 2000; i++) { const inner = it; Object.defineProperty(inner, 0, {get: next}); Object.defineProperty(inner, 'length', {value: 1}); it = Array.prototype.values.call(inner) }
	it.next()
}
