// kind: fuel
export default (msg) => {
	if (msg.payload.ok) return msg
	const o = {}
	for (let i = 0; i < 20000; i++) o['k' + i] = undefined
	JSON.stringify(new Array(100000).fill(o))
	return msg
}
