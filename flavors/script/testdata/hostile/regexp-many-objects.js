// kind: memory fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	for(let i=0;;i++)new RegExp('a'+i)
}
