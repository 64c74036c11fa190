export default (msg) => {
  syntax error
}
