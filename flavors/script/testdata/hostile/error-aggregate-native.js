// kind: fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	new AggregateError({[Symbol.iterator]:()=>({next:Object})})
}
