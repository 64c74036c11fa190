// kind: memory fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const a=[];function f(n){if(n)return f(n-1);for(;;)try{null.x}catch(e){a.push(e)}} f(200)
}
