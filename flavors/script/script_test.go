package script

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/leat-run/leat/runtime"
)

// load compiles a script and returns a worker on it.
func load(t *testing.T, source string, change ...func(*runtime.Settings)) *runtime.Worker {
	t.Helper()
	w, err := tryLoad(source, change...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return w
}

func tryLoad(source string, change ...func(*runtime.Settings)) (*runtime.Worker, error) {
	f := New(Options{})
	settings := runtime.Settings{Budget: f.Defaults(), State: runtime.StateReuse, Integers: "error"}
	for _, c := range change {
		c(&settings)
	}
	m, err := f.Compile(context.Background(), runtime.Code{Name: "t.ts", Dir: "/", Bytes: []byte(source)}, settings)
	if err != nil {
		return nil, err
	}
	return runtime.NewWorker(context.Background(), m, runtime.Host{}, nil)
}

func apply(w *runtime.Worker, payload string) (runtime.Result, error) {
	return w.Apply(context.Background(), runtime.Message{
		ID: "m1", Codec: "json", Payload: []byte(payload), Ingested: time.Unix(1700000000, 0).UTC(),
	})
}

// TestReturns proves the table of what a returned value means: source, input, output
// (or the kind of the failure).
func TestReturns(t *testing.T) {
	for name, c := range map[string]struct{ source, in, want string }{
		"identity":        {`export default (msg) => msg`, ` {"a": 1.0, "b":[ ]} `, ` {"a": 1.0, "b":[ ]} `},
		"C01 big integer": {`export default (msg) => { msg.payload.x = 1; return msg }`, `{"id":9007199254740993}`, `{"id":9007199254740993,"x":1}`},
		"C02 undefined":   {`export default (msg) => ({a: msg.payload.a, b: msg.payload.b})`, `{"a":null}`, `{"a":null}`},
		"C04 empty":       {`export default (msg) => ({payload: msg.payload})`, `{"tags":[],"o":{}}`, `{"tags":[],"o":{}}`},
		"C05 NaN":         {`export default () => ({v: 0/0})`, `{}`, "output"},
		"C07 cycle":       {`export default () => { const a = {}; a.a = a; return a }`, `{}`, "output"},
		"C08 undefined":   {`export default (msg) => { msg.payload.x = 1 }`, `{}`, "output"},
		"C09 string":      {`export default () => "x"`, `{}`, "output"},
		"C09 numbers":     {`export default () => [1, 2]`, `{}`, "output"},
		"C10 throw":       {`export default () => { throw "boom" }`, `{}`, "guest"},
		"C10 throw null":  {`export default () => { throw null }`, `{}`, "guest"},
		"C11 async":       {`export default async (msg) => { await 0; return msg }`, `{"a":1}`, `{"a":1}`},
		"C12 rejection":   {`export default (msg) => { (async () => { throw new Error("late") })(); return msg }`, `{}`, "guest"},
		"C13 generator":   {`export default function* (msg) { yield msg }`, `{}`, "output"},
		"C15 local date":  {`export default () => ({t: new Date("2021-04-18 23:59:59").getTime()})`, `{}`, `{"t":1618790399000}`},
		"C16 bad date":    {`export default () => ({t: new Date(NaN)})`, `{}`, "output"},
		"C17 look-behind": {`export default () => ({m: 'got:    sha256-AAA'.match(/(?<=got:\s+)sha256-\w+/)[0]})`, `{}`, `{"m":"sha256-AAA"}`},
		"C19 key order":   {`export default (msg) => ({payload: msg.payload})`, `{"b":1,"2":1,"a":1,"1":1}`, `{"b":1,"2":1,"a":1,"1":1}`},
		"C20 prototype":   {`export default (msg) => ({ok: msg.payload.admin === undefined})`, `{"__proto__":{"admin":true}}`, `{"ok":true}`},
		"C21 loop":        {`export default () => { while (true) {} }`, `{}`, "fuel"},
		"C22 swallow":     {`export default () => { while(true){try{while(true){}}catch(e){}finally{continue}} }`, `{}`, "fuel"},
		"C23 recursion":   {`function f() { return f() } export default () => f()`, `{}`, "stack"},
		"C24 comparator":  {`function f() { [1,2].sort(f); return 0 } export default () => f()`, `{}`, "stack"},
		"C25 repeat":      {`export default () => 'x'.repeat(1024*1024*1024*1024)`, `{}`, "memory"},
		"C26 doubling":    {`export default () => { var s = 'x'; while (true) { s += s } }`, `{}`, "memory"},
		"C29 microtasks":  {`export default (msg) => { function f() { Promise.resolve().then(f) } f(); return msg }`, `{}`, "fuel"},
		"C30 global":      {`export default () => { globalThis.n = 1; return {n: 1} }`, `{}`, "guest"},
		"function form":   {`function transform(msg) { msg.payload.y = 2; return msg }`, `{"a":1}`, `{"a":1,"y":2}`},
		"nested splice":   {`export default (msg) => { msg.payload.a.b[1].c = "é"; return msg }`, `{ "a": {"b": [1, {"c": 0 }]}, "z": 1e3 }`, `{ "a": {"b": [1, {"c":"é"}]}, "z": 1e3 }`},
		"unsafe assign":   {`export default (msg) => ({id: msg.payload.id})`, `{"id":9007199254740993}`, "output"},
		"delete":          {`export default (msg) => { delete msg.payload.a; return msg }`, `{"a":1,"b":2.50}`, `{"b":2.50}`},
		"frozen":          {`export default (msg) => { Array.prototype.map = null; return msg }`, `{}`, "guest"},
		"native iterator": {`export default () => [...new Array(4294967295)]`, `{}`, "memory"},
		"array-like":      {`export default () => Array.prototype.indexOf.call({length: 2**53-1}, 1)`, `{}`, "memory"},
		"class field":     {`let d = 0; class A { x = d < 60 ? (d++, new A, new A, d--) : 0 } export default () => new A`, `{}`, "fuel"},
		"error subclass":  {`class E extends Error { constructor(m) { super(m); this.name = "E" } } export default () => { throw new E("x") }`, `{}`, "guest"},
	} {
		t.Run(name, func(t *testing.T) {
			w := load(t, c.source)
			for range 2 { // the worker is usable afterwards
				r, err := apply(w, c.in)
				var f *runtime.Failure
				got := ""
				if errors.As(err, &f) {
					if got = string(f.Kind); c.want == "fuel" && got == "timeout" {
						got = "fuel" // whichever comes first on this machine
					}
				} else if err != nil {
					t.Fatal(err)
				}
				for _, m := range r.Out {
					got += string(m.Payload)
				}
				if got != c.want {
					t.Fatalf("got %q, want %q (%v)", got, c.want, err)
				}
			}
		})
	}
}

// kindOf returns the kind of a failure, "" for none.
func kindOf(err error) string {
	var f *runtime.Failure
	if errors.As(err, &f) {
		return string(f.Kind)
	}
	if err != nil {
		return err.Error()
	}
	return ""
}
