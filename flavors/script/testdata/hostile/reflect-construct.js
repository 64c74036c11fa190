// kind: guest
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	Reflect.construct(Array,{length:2**30})
}
