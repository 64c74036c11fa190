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
		"function form":   {`function transform(msg) { msg.payload.y = 2; return msg }`, `{"a":1}`, `{"a":1,"y":2}`},
		"nested splice":   {`export default (msg) => { msg.payload.a.b[1].c = "é"; return msg }`, `{ "a": {"b": [1, {"c": 0 }]}, "z": 1e3 }`, `{ "a": {"b": [1, {"c":"é"}]}, "z": 1e3 }`},
		"unsafe assign":   {`export default (msg) => ({id: msg.payload.id})`, `{"id":9007199254740993}`, "output"},
		"delete":          {`export default (msg) => { delete msg.payload.a; return msg }`, `{"a":1,"b":2.50}`, `{"b":2.50}`},
		"frozen":          {`export default (msg) => { Array.prototype.map = null; return msg }`, `{}`, "guest"},
		"native iterator": {`export default () => [...new Array(4294967295)]`, `{}`, "memory"},
		"array-like":      {`export default () => Array.prototype.indexOf.call({length: 2**53-1}, 1)`, `{}`, "memory"},
		"class field":     {`let d = 0; class A { x = d < 60 ? (d++, new A, new A, d--) : 0 } export default () => new A`, `{}`, "fuel"},
		"rest parameter":  {`const f = ([a, ...b], c = a, { d = b.length } = {}, e = c) => [a, b, c, d, e].join(); export default () => ({v: [f([1, 2]), f([1], undefined, {d: 5}), f([1], null, {}, 7)]})`, `{}`, `{"v":["1,2,1,1,1","1,,1,5,1","1,,,0,7"]}`},
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
