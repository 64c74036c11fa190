// kind: guest
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	JSON.parse('[1,2]', function (k, v) { if (k === '0') { const o = {}; o.o = o; this[1] = o } return v })
}
