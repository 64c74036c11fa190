// kind: value
// Names that are allowed are looked for once each, and not among all before.
export default (msg) => { JSON.stringify({}, Array.from({ length: 80000 }, (_, i) => 'k' + i)); return msg }
