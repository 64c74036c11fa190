// kind: guest
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	RegExp.prototype.exec=()=>null
}
