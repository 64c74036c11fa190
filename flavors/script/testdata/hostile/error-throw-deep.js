// kind: guest
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	let a={};for(let i=0;i<1e5;i++)a={a};throw a
}
