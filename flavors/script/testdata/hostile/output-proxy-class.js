// kind: value
export default (msg, ctx) => {
	if (msg.payload.ok) return msg;
	class A{get x(){return new A}} Object.defineProperty(A.prototype,'y',{enumerable:true,get(){for(;;);}});return {payload:new A}
}
