// kind: fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const o={[Symbol.toPrimitive](){for(;;);}};o+1
}
