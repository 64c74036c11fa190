// kind: memory fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	for(let i=0;;i++){msg.payload['k'+i]=1;delete msg.payload['k'+i]}
}
