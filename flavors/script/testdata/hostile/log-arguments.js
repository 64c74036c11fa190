// kind: value
// One line of a gigabyte is not put together to be cut.
const s = '\u00e9' + 'x'.repeat(8000)
export default (msg) => { console.log(...new Array(100000).fill(s)); return msg }
