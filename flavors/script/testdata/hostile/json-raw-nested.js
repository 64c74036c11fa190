// kind: memory fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	let r=1;for(let i=0;;i++)r=JSON.rawJSON('"'+'x'.repeat(i*1000)+'"')
}
