// kind: output
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	'a'.split('').length=1e9
}
