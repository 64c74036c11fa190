// kind: fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	Array.from(new Array(1e6).fill(1),Object); for(;;)Array.from(new Array(1e5).fill(1),Object)
}
