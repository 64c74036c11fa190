// kind: fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const t={};t.then=Array.prototype.forEach.bind([t]);return Promise.resolve(t)
}
