// kind: memory fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const m=new WeakMap(),keep=[];for(;;){const k={};keep.push(k);m.set(k,{})}
}
