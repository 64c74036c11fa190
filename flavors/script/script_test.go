package script

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/leat-run/leat/runtime"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// run compiles source and gives it each payload in turn on one worker, as the engine
// does; it returns the payloads that came out, or the failure, per message.
func run(t *testing.T, source string, payloads ...string) []string {
	t.Helper()
	module, err := New(Options{}).Compile(context.Background(), runtime.Code{Name: "t.ts", Bytes: []byte(source)}, runtime.Settings{State: runtime.StateReuse,
		Budget: runtime.Budget{Timeout: 300 * time.Millisecond}})
	if err != nil {
		t.Fatalf("compile: %v", err)
	}
	worker, err := runtime.NewWorker(context.Background(), module, runtime.Host{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer worker.Close()
	var out []string
	for _, p := range payloads {
		out = append(out, apply(worker, p))
	}
	return out
}

func apply(worker *runtime.Worker, payload string) string {
	m := runtime.Message{ID: "m1", Payload: []byte(payload), Codec: "json", Source: "s", Ingested: time.UnixMilli(1_700_000_000_000).UTC()}
	result, err := worker.Apply(context.Background(), m)
	var f *runtime.Failure
	switch {
	case errors.As(err, &f):
		return "err:" + string(f.Kind) + " " + f.Message
	case err != nil:
		return "world:" + err.Error()
	}
	if result.Null {
		return "null"
	}
	var parts []string
	for _, o := range result.Out {
		parts = append(parts, string(o.Payload))
	}
	return strings.Join(parts, " | ")
}

// TestReturnValues proves what each return value means (cases C08, C09, C10) and that the next
// message runs on a usable worker.
func TestReturnValues(t *testing.T) {
	for _, c := range []struct{ name, source, want string }{
		{"C08 undefined", `export default function (m) { m.payload.x = 1 }`, "err:output the script returned nothing (undefined)"},
		{"C09 string", `export default function (m) { return "x" }`, "err:output the script returned a string"},
		{"C09 number", `export default function (m) { return 5 }`, "err:output the script returned a number"},
		{"C09 array of numbers", `export default function (m) { return [1,2] }`, "err:output element 0 of what the script returned is a number"},
		{"C10 string", `export default function (m) { throw "boom" }`, "err:guest boom"},
		{"C10 null", `export default function (m) { throw null }`, "err:guest null"},
		{"C10 undefined", `export default function (m) { throw undefined }`, "err:guest undefined"},
		{"C10 object", `export default function (m) { throw {code:42} }`, `err:guest {"code":42}`},
		{"null filters", `export default function (m) { return null }`, "null"},
		{"message", `export default function (m) { return m }`, `{"a":1.0}`},
		{"function form", `function transform(m) { m.payload.b = 2; return m }`, `{"a":1.0,"b":2}`},
		{"fan out", `export default (m) => [m, {payload: {c: 3}}]`, `{"a":1.0} | {"c":3}`},
		{"async", `export default async function (m) { await 0; return m }`, `{"a":1.0}`},
		{"typescript", `export default (m: {payload: {a: number}}) => { m.payload.a += 1; return m }`, `{"a":2}`},
	} {
		got := run(t, c.source, `{"a":1.0}`, `{"a":1.0}`)
		if got[0] != c.want || got[1] != c.want {
			t.Errorf("%s: got %q, want twice %q", c.name, got, c.want)
		}
	}
}

// TestC21LoopEndsTyped proves that an endless loop, also one that swallows, ends typed and that the
// worker is usable afterwards (C21, C22).
func TestC21LoopEndsTyped(t *testing.T) {
	for _, body := range []string{`while (true) {}`, `while (true) { try { while (true) {} } catch (e) {} finally { continue } }`} {
		got := run(t, `export default function (m) { if (m.payload.bad) { `+body+` } return m }`, `{"bad":true}`, `{"bad":false}`)
		if !strings.HasPrefix(got[0], "err:timeout ") || got[1] != `{"bad":false}` {
			t.Errorf("%s: %q", body, got)
		}
	}
}

// TestC23RecursionEndsTyped proves that recursion without an end is of kind stack, plainly and
// through a native (C23, C24).
func TestC23RecursionEndsTyped(t *testing.T) {
	for _, f := range []string{`function f() { return f() + 1 }`, `function f() { [1, 2].sort(f); return 0 }`} {
		got := run(t, f+` export default function (m) { if (m.payload.bad) f(); return m }`, `{"bad":true}`, `{"bad":false}`)
		if !strings.HasPrefix(got[0], "err:stack ") || got[1] != `{"bad":false}` {
			t.Errorf("%s: %q", f, got)
		}
	}
}

// TestUntouchedBytes proves that what a script does not touch leaves as it came (C01, C03, C04, C19).
func TestUntouchedBytes(t *testing.T) {
	in := `{"id":9007199254740993,"b":1,"2":[1,null,"w\u00e9"],"1":{"t":[],"o":{}},"n":1.0,"n2":-0}`
	if got := run(t, `export default (m) => m`, in); got[0] != in {
		t.Errorf("identity: %s", got[0])
	}
	got := run(t, `export default (m) => { m.payload.b = 7; return m }`, in)
	if want := strings.Replace(in, `"b":1`, `"b":7`, 1); got[0] != want {
		t.Errorf("one field: got %s want %s", got[0], want)
	}
}

// TestC30GlobalsAreFrozen proves that a write to a global or to a primordial throws, each time.
func TestC30GlobalsAreFrozen(t *testing.T) {
	for _, write := range []string{
		`globalThis.n = 1`, `Object.prototype.x = 1`, `Array.prototype.map = null`, `JSON.parse = null`, `Math = 1`,
	} {
		got := run(t, `export default (m) => { `+write+`; return m }`, `{}`, `{}`)
		if !strings.HasPrefix(got[0], "err:guest TypeError") || got[0] != got[1] {
			t.Errorf("%s: %q", write, got)
		}
	}
	for _, fine := range []string{
		`class E extends Error { constructor(x) { super(x); this.name = "E" } } new E("x")`,
		`const o = {}; o.toString = () => "x"; o.constructor = 1`,
	} {
		if got := run(t, `export default (m) => { `+fine+`; return m }`, `{}`); got[0] != `{}` {
			t.Errorf("%s: %q", fine, got)
		}
	}
}

// TestFailurePointsAtTheAuthorsLine proves that a failure names file, line and column of the source, with
// an excerpt.
func TestFailurePointsAtTheAuthorsLine(t *testing.T) {
	module, err := New(Options{}).Compile(context.Background(), runtime.Code{Name: "enrich.ts",
		Bytes: []byte("interface A { x: number }\n\nexport default function (m: any) {\n  throw new Error('bad ' + m.payload.a)\n}\n")}, runtime.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	worker, err := runtime.NewWorker(context.Background(), module, runtime.Host{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer worker.Close()
	_, err = worker.Apply(context.Background(), runtime.Message{Payload: []byte(`{"a":1}`), Codec: "json"})
	var f *runtime.Failure
	if !errors.As(err, &f) || f.File != "enrich.ts" || f.Line != 4 || f.Message != "Error: bad 1" || !strings.Contains(f.Excerpt, "throw new Error") {
		t.Errorf("%+v", f)
	}
}

// TestCompileFaults proves that a syntax error and a missing entry are found before any message.
func TestCompileFaults(t *testing.T) {
	for _, c := range []struct{ source, want string }{
		{"export default function (m) {\n  return m +\n}\n", "Unexpected"},
		{"export const a = 1", "exports no function"},
		{"throw new Error('start')\nexport default (m) => m", "start"},
	} {
		_, err := New(Options{}).Compile(context.Background(), runtime.Code{Name: "x.ts", Bytes: []byte(c.source)}, runtime.Settings{})
		if !errors.Is(err, &runtime.Failure{Kind: runtime.KindCompile}) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v", c.source, err)
		}
	}
}
