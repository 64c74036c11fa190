// kind: fuel
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	const g=(function*(){try{yield 1}finally{for(;;);}})();g.next();g.return()
}
