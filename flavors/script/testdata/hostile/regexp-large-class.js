// kind: fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	for(let i=0;;i++)new RegExp('[a-z]{500}'+i)
}
