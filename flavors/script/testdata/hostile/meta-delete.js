// kind: fuel
export default (msg) => {
	if (msg.payload.ok) return msg
	for (let i = 0; i < 20000; i++) msg.meta['k' + i] = 'x'
	for (;;) { msg.meta.z = 'z'; delete msg.meta.z }
}
