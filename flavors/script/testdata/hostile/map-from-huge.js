// kind: memory fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	for(const all=[];;)all.push(new Map(new Array(1e5).fill(0).map((_,i)=>[i,i])))
}
