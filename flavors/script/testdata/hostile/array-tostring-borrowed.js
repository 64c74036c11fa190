// kind: output
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const s='x'.repeat(1e6); Object.prototype.toString.call(1); Array.prototype.toString.call({join:()=>new Array(1000).fill(s).join()})
}
