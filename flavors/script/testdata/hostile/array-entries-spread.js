// kind: memory fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	for(;;)[...new Array(1e5).fill(0).entries()]
}
