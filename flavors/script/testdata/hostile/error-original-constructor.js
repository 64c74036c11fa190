// kind: fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	Object.getPrototypeOf(TypeError)===Error||(()=>{throw 1})();const a=[];for(;;)a.push(new TypeError('x'))
}
