// kind: fuel
// A text that is made of UTF-16 is converted for each match.
const s = '\u00e9' + 'x'.repeat(4000000)
export default (msg) => { if (msg.payload.ok) return msg; for (;;) /x/.test(s) }
