// kind: output
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	('a'.repeat(34)+'!é').match(/(a+)+$/g)
}
