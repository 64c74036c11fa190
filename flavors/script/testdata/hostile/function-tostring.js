// kind: fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	let s='';for(;;)s+=Object.prototype.toString.toString()+(()=>{}).toString()
}
