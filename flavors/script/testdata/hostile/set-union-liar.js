// kind: guest
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	new Set([1]).union({size:1e9,has:Object,keys:()=>({next:Object})})
}
