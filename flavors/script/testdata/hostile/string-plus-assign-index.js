// kind: memory
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const a=['xxxxxxxx'];for(;;)a[0]+=a[0]
}
