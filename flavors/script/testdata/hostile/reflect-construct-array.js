// kind: memory fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const all=[];for(;;)all.push(Reflect.construct(Array,new Array(1e5)))
}
