// kind: compile
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	function*g(){yield* g()} [...g()]
}
