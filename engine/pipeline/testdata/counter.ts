let counter = 0
export default (msg) => { counter++; return msg }
