// kind: guest
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const r=/a/g;r.exec=Object;'a'.match(r)
}
