// kind: memory
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const o={s:'xxxxxxxx'};for(;;)o.s+=o.s
}
