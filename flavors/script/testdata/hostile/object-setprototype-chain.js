// kind: guest
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	let o={};for(;;){const n={};Object.setPrototypeOf(n,o);o=n}
}
