// kind: memory fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	let C=class{};for(;;)C=class extends C{}
}
