// kind: memory
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	msg.payload.a[2**31]=1;return msg
}
