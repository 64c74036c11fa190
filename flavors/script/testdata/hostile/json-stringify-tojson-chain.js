// kind: value
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const f=()=>({toJSON:()=>f()});return {payload:JSON.stringify(f())}
}
