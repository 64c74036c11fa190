// kind: output
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	('a'.repeat(5000)+'!').match(/(?<=(a+)+)!x/)
}
