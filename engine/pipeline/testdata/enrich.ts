export default (msg) => msg
