// kind: value
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	return {payload:Object.create({get x(){for(;;);}})}
}
