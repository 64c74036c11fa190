// kind: stack
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const f = () => 0; Object.defineProperty(f, 'prototype', {get: Function.prototype[Symbol.hasInstance].bind(f, {})}); ({}) instanceof f
}
