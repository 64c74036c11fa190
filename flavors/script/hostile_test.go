package script

import (
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/leat-run/leat/runtime"
)

// hostile are bodies of a transform that burn time or memory in natives, nest too deep
// or attack what comes after them. Each must end by itself: as a value, as a typed
// failure, or refused at load. The list follows script.md, chapter 10, and goes on with
// natives x growth.
var hostile = []string{
	`for(;;){}`,
	`try{for(;;){}}catch(e){}`,
	`try{throw 1}finally{for(;;){}}`,
	`for(;;){try{return msg}finally{continue}}`,
	`function f(){try{f()}catch(e){f()}} f()`,
	`function f(){[1].forEach(f)} f()`,
	`function f(){'a'.replace('a',f)} f()`,
	`const o={valueOf(){return +o}}; +o`,
	`const o={get x(){return o.x}}; o.x`,
	`const o={toJSON(){return JSON.stringify(o)}}; JSON.stringify(o)`,
	`function*g(n,a=n>0&&(g(n-1),g(n-1))){} g(60)`,
	`(async()=>{for(;;)await 0})(); return msg`,
	`function*g(){yield* g()} [...g()]`,
	`const p=new Proxy({},{}); p.x`,
	`const a=[];a.push(a);a.flat(Infinity)`,
	`let a=[1];for(let i=0;i<33;i++)a=[a,a];a.flat(64)`,
	`let a=[1];for(let i=0;i<33;i++)a=[a,a];String(a)`,
	`let a=[1];for(let i=0;i<33;i++)a=[a,a];JSON.stringify(a)`,
	`let a=[1];for(let i=0;i<33;i++)a=[a,a];return {payload:a}`,
	`let a=[1];for(let i=0;i<33;i++)a=[a,a];a.join()`,
	`let a=[1];for(let i=0;i<33;i++)a=[a,a];a+''`,
	`let a={};for(let i=0;i<500000;i++)a={a};return {payload:a}`,
	`let a={};for(let i=0;i<500000;i++)a={a};JSON.stringify(a)`,
	`let a=[];for(let i=0;i<500000;i++)a=[a];String(a)`,
	`let a=[];for(let i=0;i<500000;i++)a=[a];a.flat(Infinity)`,
	`JSON.parse('['.repeat(1e6))`,
	`const i={[Symbol.iterator]:()=>({next:Object})}; new Set(i)`,
	`const i={[Symbol.iterator]:()=>({next:Object})}; new Map(i)`,
	`const i={[Symbol.iterator]:()=>({next:Object})}; [...i]`,
	`const i={[Symbol.iterator]:()=>({next:Object})}; Array.from(i)`,
	`const i={[Symbol.iterator]:()=>({next:Object})}; const [...r]=i`,
	`const i={[Symbol.iterator]:()=>({next:Object})}; Promise.all(i)`,
	`const i={[Symbol.iterator]:()=>({next:Object})}; Object.fromEntries(i)`,
	`const i={[Symbol.iterator]:()=>({next:Object})}; new WeakSet(i)`,
	`const i={[Symbol.iterator]:()=>({next:Object})}; ((...[...r])=>r)(...i)`,
	`const i={[Symbol.iterator]:()=>({next:Object})}; (([...r])=>r)(i)`,
	`const i={[Symbol.iterator]:()=>({next:Object})}; for(const [...r] of [i]);`,
	`const i={[Symbol.iterator]:()=>({next:Object})}; let r; [...r]=i`,
	`new Set([1]).union({size:1e9,has(){return true},keys(){return {next:Object}}})`,
	`new Set([1]).isSupersetOf({size:0,has(){return true},keys(){return {next:()=>({value:1,done:false})}}})`,
	`for(const m of ['indexOf','includes','fill','reverse','join','slice','sort','copyWithin','unshift','lastIndexOf']) Array.prototype[m].call({length:2**53-1})`,
	`Array.prototype.fill.call({get length(){return 2**53-1}},1)`,
	`const a=new Array(2**32-1);a[5]=1;a.sort()`,
	`new Array(2**32-1).join('x')`,
	`new Array(2**32-1).reverse()`,
	`const a=[];a.length=2**32-1;return {payload:a}`,
	`const a=[];a.length=2**32-1;for(const x of a);`,
	`const a=[];a.length=2**32-1;JSON.stringify(a)`,
	`const a=[];a.length=2**32-1;Object.keys(a)`,
	`'x'.repeat(1e9)`, `'x'.padEnd(2**40)`, `'x'.padStart(2**31,'ab')`,
	`let s='x';for(;;)s=s+s`, "let s='x';for(;;)s=`${s}${s}`", `let s='x';for(;;)s=s.concat(s)`,
	`let s='x';for(;;)s=[s,s].join('')`, `let s='xx';for(;;)s=s.replaceAll('x',s)`, `let s='x';for(;;)s=s.replace(/x/g,s+s)`,
	`let s='x';for(;;)s=encodeURIComponent(s+s+'é')`, `let s='é';for(;;)s=(s+s).normalize('NFD')`, `let s='x';for(;;)s=s.split('').join('xx')`,
	`let s='x';for(;;)s=String.raw({raw:[s,s,s]})`, `let s='ß';for(;;)s=(s+s).toUpperCase()`, `let s='a';for(;;)s=JSON.stringify(s+s)`,
	`let s='a';for(;;)s=escape(s+s)`, `Math.max.apply(null,{length:2**31})`, `Math.max(...new Array(2**28))`,
	`String.fromCharCode.apply(null,{length:2**30})`, `Reflect.apply(Math.max,null,{length:2**30})`,
	`new Uint8Array(2**40)`, `new ArrayBuffer(2**40)`, `BigInt(1)`,
	`/^(?=(a+)+$)a/.test('a'.repeat(34)+'!')`, `/(a+)+\1$/.test('a'.repeat(34)+'!')`, `new RegExp('^(?=(a+)+$)a').test('a'.repeat(34)+'!')`,
	`const r=/(a+)+$/y;r.lastIndex=1;r.test('a'.repeat(34)+'!')`, `('a'.repeat(34)+'!é').match(/(a+)+$/g)`,
	`eval('for(;;){}')`, `new Function('for(;;){}')()`, `(async()=>{}).constructor('for(;;){}')()`, `(function*(){}).constructor('for(;;){}')().next()`,
	`throw {toString(){for(;;){}}}`, `throw {toString(){throw 1}}`, `const e=new Error('x');Object.defineProperty(e,'name',{get(){for(;;){}}});throw e`,
	`return {payload:{toJSON(){for(;;){}}}}`, `return {payload:{get a(){for(;;){}}}}`, `return {get payload(){for(;;){}}}`,
	`Array.prototype.findIndex.call({length:1},Boolean)`,
	`const a=[];for(;;)a.push([1,2,3,4,5,6,7,8])`, `const m=new Map();for(let i=0;;i++)m.set(i,{})`, `let f=()=>1;for(;;){const g=f;f=()=>g}`,
	`const a=[];for(;;)a.push(new Error('x'))`, `const a=[];for(;;)a.push(class{})`, `const o={};for(let i=0;;i++)o['k'+i]=i`,
	`let a=[1];for(;;)a=a.concat(a)`, `let a=[1];for(;;)a=[...a,...a]`, `let a={a:1};for(let i=0;;i++)a={...a,['k'+i]:a}`,
	`let a=[1];for(;;)a.push(...a)`, `let a=[1];for(;;)a=a.flatMap(x=>[x,x])`, `let a=[1];for(;;)a.splice(0,0,...a)`,
	`let f=function(){};for(;;)f=f.bind(null)`, `let p=Promise.resolve();for(;;)p=p.then(()=>1)`, `let o={};for(;;)o=Object.create(o)`,
	`msg.payload.list=[];for(;;)msg.payload.list.push('x')`, `msg.payload.a.length=1e9;return msg`, `msg.payload.a[1e9]=1;return msg`,
	`for(let i=0;;i++)msg.payload['k'+i]=i`, `for(let i=0;;i++)msg.meta['k'+i]=i`, `msg.payload.self=msg.payload;return msg`,
	`for(;;)console.log('x'.repeat(1000))`, `return new Array(20000).fill(msg)`, `return {payload:'x'.repeat(8e6)+'y'.repeat(1e6)}`,
	`Promise.all(new Array(1e6).fill(1))`, `'a'.split('').length=1e9`, `[1,2,3].sort(()=>{for(;;){}})`, `'x'.localeCompare('y'.repeat(1e6))`,
	`Object.prototype.x=1`, `Array.prototype.push=1`, `globalThis.leak=1`, `Math.random=()=>1`, `Object.assign(Object.prototype,{a:1})`,
	`Object.setPrototypeOf(Array.prototype,{})`, `Object.defineProperty(String.prototype,'x',{value:1})`, `JSON.parse=1`,
	`new Date(8.64e15+1).toISOString()`, `(1e21).toFixed(101)`, `'x'.at({valueOf(){for(;;){}}})`, `structuredClone(msg)`,
}

// TestHostile runs every hostile script, and then an innocent one on the same worker, in
// a child process that is limited in address space: a hole kills the child, and is named.
func TestHostile(t *testing.T) {
	if from := os.Getenv("LEAT_HOSTILE"); from != "" {
		runHostile(from)
		return
	}
	if testing.Short() {
		t.Skip("a child process per batch")
	}
	for next := 0; next < len(hostile); {
		cmd := exec.Command("/bin/sh", "-c", "ulimit -v 4000000; exec \"$0\" -test.run '^TestHostile$'", os.Args[0])
		cmd.Env = append(os.Environ(), "LEAT_HOSTILE="+strconv.Itoa(next))
		cmd.WaitDelay = time.Second
		timer := time.AfterFunc(2*time.Minute, func() { cmd.Process.Kill() })
		out, _ := cmd.Output()
		timer.Stop()
		done := strings.Count(string(out), "\nended ")
		for _, line := range strings.Split(string(out), "\n") {
			if strings.HasPrefix(line, "BAD ") {
				t.Error(line)
			}
		}
		next += done
		if next < len(hostile) {
			t.Errorf("the process died or hung in: %s", hostile[next])
			next++
		}
	}
}

// runHostile is the child: one line before and after each script.
func runHostile(from string) {
	start, _ := strconv.Atoi(from)
	watchdog := time.AfterFunc(time.Hour, func() {})
	for _, body := range hostile[start:] {
		watchdog.Stop()
		watchdog = time.AfterFunc(8*time.Second, func() { os.Exit(3) })
		outcome := runOne(body)
		os.Stdout.WriteString("\nended " + outcome)
	}
	os.Stdout.WriteString("\n")
}

func runOne(body string) string {
	quick := func(s *runtime.Settings) { s.Budget.Timeout = 300 * time.Millisecond }
	w, err := tryLoad("export default (msg) => { if (msg.payload.ok) return msg;\n"+body+"\n}", quick)
	if err != nil {
		return outcomeOf(body, err)
	}
	defer w.Close()
	started := time.Now()
	_, err = apply(w, `{"a":[1,2,3]}`)
	outcome := outcomeOf(body, err)
	if d := time.Since(started); d > 3*time.Second {
		outcome += "\nBAD slow (" + d.String() + "): " + body
	}
	if r, err := apply(w, `{"ok":true}`); err != nil || len(r.Out) != 1 || string(r.Out[0].Payload) != `{"ok":true}` {
		outcome += "\nBAD next message: " + body
	}
	return outcome
}

func outcomeOf(body string, err error) string {
	var f *runtime.Failure
	switch {
	case err == nil:
		return "value"
	case errors.As(err, &f):
		return string(f.Kind)
	default:
		return "untyped\nBAD untyped (" + err.Error() + "): " + body
	}
}
