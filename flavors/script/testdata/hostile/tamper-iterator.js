// kind: guest
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	Object.getPrototypeOf([][Symbol.iterator]()).next=()=>({done:true})
}
