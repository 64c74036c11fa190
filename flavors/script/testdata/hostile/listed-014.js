// kind: guest
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const p=new Proxy({},{}); p.x
}
