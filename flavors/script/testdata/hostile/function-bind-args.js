// kind: memory fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	let f=()=>1;for(;;)f=f.bind(null,...new Array(100).fill(1))
}
