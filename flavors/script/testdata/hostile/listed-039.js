// kind: guest
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	new Set([1]).isSupersetOf({size:0,has(){return true},keys(){return {next:()=>({value:1,done:false})}}})
}
