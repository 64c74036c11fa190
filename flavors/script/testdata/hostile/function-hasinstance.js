// kind: fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const o={[Symbol.hasInstance](){for(;;);}};1 instanceof o
}
