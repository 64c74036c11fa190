// kind: fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const f=()=>Promise.resolve().finally(f);f();return msg
}
