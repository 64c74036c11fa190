// kind: fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	return Promise.all(new Array(2e5).fill(1)).then(()=>msg)
}
