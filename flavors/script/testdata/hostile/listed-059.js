// kind: fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	let s='é';for(;;)s=(s+s).normalize('NFD')
}
