// kind: memory
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	let f=()=>1;for(;;){const g=f;f=()=>g}
}
