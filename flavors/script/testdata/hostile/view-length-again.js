// kind: fuel
// Growing a view costs what it writes, also where it was as long before.
export default (msg) => { const a = msg.payload.a ?? []; if (msg.payload.ok) return msg; for (;;) { a.length = 0; a.length = 1000000 } }
