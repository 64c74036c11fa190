// kind: guest
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	Reflect.apply(Math.max,null,new Array(2**30))
}
