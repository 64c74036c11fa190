// kind: stack
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	function f(){try{f()}catch(e){f()}} f()
}
