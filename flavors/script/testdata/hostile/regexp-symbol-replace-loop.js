// kind: fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	'a'.replace({[Symbol.replace](){for(;;);}},'')
}
