// kind: memory fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const a=[];function f(n){if(n)return f(n-1);for(;;)a.push(new Error('x'))} f(200)
}
