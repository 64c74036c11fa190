// kind: fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const i={[Symbol.iterator]:()=>({next:Object})}; new Map(i)
}
