// kind: memory
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const s='x'.repeat(4e6);String.raw({raw:[s,s,s,s]})
}
