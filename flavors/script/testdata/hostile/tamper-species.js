// kind: guest
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	Object.defineProperty(Array,Symbol.species,{value:Object})
}
