// kind: output
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	/^(?=(\u{1F600}+)+$)x/u.test('\u{1F600}'.repeat(40)+'!')
}
