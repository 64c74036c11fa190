// kind: guest
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	class R extends RegExp{exec(){return null}} 'x'.repeat(1e7/8).split(new R('a'))
}
