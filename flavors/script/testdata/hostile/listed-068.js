// kind: guest
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	Reflect.apply(Math.max,null,{length:2**30})
}
