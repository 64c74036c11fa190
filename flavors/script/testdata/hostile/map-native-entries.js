// kind: fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	new Map({[Symbol.iterator]:()=>({next:Object})})
}
