// kind: fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	Object.fromEntries({[Symbol.iterator]:()=>({next:Object})})
}
