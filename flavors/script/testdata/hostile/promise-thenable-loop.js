// kind: fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const t={then(r){r(t)}};return t.then?Promise.resolve(t):msg
}
