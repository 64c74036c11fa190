// kind: memory fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	let p=Promise.resolve();for(;;)p=p.then(()=>1)
}
