// kind: fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	function*g(n,a=n>0&&(g(n-1),g(n-1))){} g(60)
}
