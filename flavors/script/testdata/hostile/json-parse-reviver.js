// kind: fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	JSON.parse('[1,2,3]',function(k,v){for(;;);})
}
