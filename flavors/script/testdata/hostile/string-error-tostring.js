// kind: memory
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	let s='x';for(;;)s=Error.prototype.toString.call({name:s,message:s})
}
