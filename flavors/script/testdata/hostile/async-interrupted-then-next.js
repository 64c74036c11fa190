// kind: fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	return (async()=>{await 0;for(;;);})()
}
