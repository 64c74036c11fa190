// kind: memory
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	msg.payload.a[1e9]=1;return msg
}
