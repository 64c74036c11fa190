// kind: timeout
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	let o={};for(let i=0;i<2e5;i++)o={__proto__:o};for(;;)o.missing
}
