// kind: stack
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	function*g(){for(const x of g())yield x} [...g()]
}
