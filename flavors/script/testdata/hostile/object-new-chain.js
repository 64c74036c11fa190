// kind: memory fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	function F(){} let o={};for(let i=0;i<2e5;i++){F.prototype=o;o=new F()} for(;;)o.missing
}
