// kind: guest
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const d=new Date();d.toISOString=()=>{for(;;);};JSON.stringify(d)
}
