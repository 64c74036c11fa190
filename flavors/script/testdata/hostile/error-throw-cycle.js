// kind: guest
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const a={};a.a=a;throw a
}
