// kind: fuel
// What is left out is looked at all the same.
export default (msg) => {
	if (msg.payload.ok) return msg
	const o = {}
	for (let i = 0; i < 20000; i++) o['k' + i] = undefined
	return { list: new Array(100000).fill(o) }
}
