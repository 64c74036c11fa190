// kind: fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	let a=[1];for(;;)a=[...a,...a]
}
