// kind: fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	msg.payload.list=[];for(;;)msg.payload.list.push('x')
}
