// kind: timeout
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	'x'.repeat(1e5).match(new RegExp('(x)'.repeat(300)+'|(x)','g'));for(;;)'x'.repeat(1e5).replace(new RegExp('(x?)'.repeat(300),'g'),'y')
}
