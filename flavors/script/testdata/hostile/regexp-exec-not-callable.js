// kind: timeout
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const r=/^(?=(a+)+$)a/;r.exec=5;[...('a'.repeat(34)+'!').matchAll(new RegExp(r,'g'))]
}
