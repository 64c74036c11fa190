// kind: fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	return {payload:1,get key(){for(;;);}}
}
