// kind: memory fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	let f=function(){};for(;;)f=f.bind(null)
}
