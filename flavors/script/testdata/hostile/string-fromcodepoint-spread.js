// kind: fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	for(let n=1;;n*=2)String.fromCodePoint(...new Array(n).fill(128512))
}
