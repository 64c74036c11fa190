// kind: value
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const a=[{get payload(){a.push(a[0]);return 1}}];return a
}
