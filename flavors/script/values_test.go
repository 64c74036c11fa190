package script

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/leat-run/leat/runtime"
)

// valueOut is one row of the README's table: what stands in v comes out as want, or fails
// with a message that has want in it.
type valueOut struct {
	body, want string // body is a transform's; the payload that came is `came`
	kind       runtime.Kind
	integers   string
	allow      []string
}

const came = `{"id":9007199254740993,"f":1.0,"e":1e400,"s":"\u00e9\/", "a":1,"a":2}`

// valuesOut has the rows of the README by name.
var valuesOut = map[string][]valueOut{
	"what came and was not assigned": {{body: `return {v: msg.payload}`, want: came}, {body: `return {v: [msg.payload]}`, want: `[` + came + `]`}},
	"null, true, false":              {{body: `return {v: [null, true, false]}`, want: `[null,true,false]`}},
	"number":                         {{body: `return {v: [1, 1.50, -0, 1e21, 0.1+0.2]}`, want: `[1,1.5,-0,1e+21,0.30000000000000004]`}},
	"integer read beyond 2^53": {
		{body: `return {v: msg.payload.id}`, want: "9007199254740993 was read as 9007199254740992) at v", kind: runtime.KindOutput},
		{body: `return {v: msg.payload.id}`, want: `"9007199254740993"`, integers: "string"},
		{body: `return {v: msg.payload.id}`, want: `9007199254740992`, integers: "lossy"},
		{body: `return {v: msg.payload.id + 2}`, want: `9007199254740994`},
	},
	"NaN, Infinity":    {{body: `return {v: {x: [0/0]}}`, want: "NaN at v.x[0]", kind: runtime.KindOutput}, {body: `return {v: -1/0}`, want: "-Infinity at v", kind: runtime.KindOutput}},
	"string":           {{body: `return {v: "a\"\u2028\u0000é😀"}`, want: "\"a\\\"\u2028\\u0000é😀\""}},
	"lone surrogate":   {{body: `return {v: "\ud800x"}`, want: `"\ud800x"`}},
	"undefined":        {{body: `return {v: {a: undefined, b: [undefined]}}`, want: `{"b":[null]}`}, {body: `return {payload: undefined}`, want: "the payload is undefined", kind: runtime.KindOutput}},
	"hole in an array": {{body: `return {v: [1,,2]}`, want: `[1,null,2]`}},
	"sparse array":     {{body: `const a = []; a[3] = 1; return {v: a}`, want: `[null,null,null,1]`}, {body: `const a = []; a[4e9] = 1; return {v: a}`, want: "larger than budget.output", kind: runtime.KindOutput}},
	"function, symbol": {{body: `return {v: {f() {}}}`, want: "a function at v.f", kind: runtime.KindOutput}, {body: `return {v: [Symbol('x')]}`, want: "a symbol at v[0]", kind: runtime.KindOutput}},
	"BigInt":           {{body: `return {v: 10n}`, want: "a BigInt at v", kind: runtime.KindOutput, allow: []string{"bigint"}}, {body: `return {v: Object(10n)}`, want: "a BigInt at v", kind: runtime.KindOutput, allow: []string{"bigint"}}},
	"Date":             {{body: `return {v: new Date(0)}`, want: `"1970-01-01T00:00:00.000Z"`}},
	"invalid Date":     {{body: `return {v: new Date(NaN)}`, want: "an invalid date at v", kind: runtime.KindOutput}},
	"Map, Set, WeakMap, WeakSet, iterator, generator": {
		{body: `return {v: new Map([[1, 2]])}`, want: "a Map at v", kind: runtime.KindOutput},
		{body: `return {v: new Set([1])}`, want: "a Set at v", kind: runtime.KindOutput},
		{body: `return {v: new WeakMap()}`, want: "a WeakMap at v", kind: runtime.KindOutput},
		{body: `return {v: new WeakSet()}`, want: "a WeakSet at v", kind: runtime.KindOutput},
		{body: `return {v: [1].values()}`, want: "an iterator at v", kind: runtime.KindOutput},
		{body: `return {v: new Map().keys()}`, want: "an iterator at v", kind: runtime.KindOutput},
		{body: `return {v: (function* () {})()}`, want: "a generator at v", kind: runtime.KindOutput},
		{body: `return new Map()`, want: "returned a Map", kind: runtime.KindOutput},
	},
	"RegExp, Error, promise, arguments": {
		{body: `return {v: /a/}`, want: "a regular expression at v", kind: runtime.KindOutput},
		{body: `return {v: new Error('x')}`, want: "an Error at v", kind: runtime.KindOutput},
		{body: `return {v: Promise.resolve(1)}`, want: "a promise at v", kind: runtime.KindOutput},
		{body: `return {v: (function () { return arguments })(1)}`, want: "an arguments object at v", kind: runtime.KindOutput},
	},
	"typed array, ArrayBuffer, DataView": {
		{body: `return {v: new Uint8Array(2)}`, want: "a typed array at v", kind: runtime.KindOutput, allow: []string{"typed_arrays"}},
		{body: `return {v: new ArrayBuffer(2)}`, want: "an ArrayBuffer at v", kind: runtime.KindOutput, allow: []string{"typed_arrays"}},
		{body: `return {v: new DataView(new ArrayBuffer(2))}`, want: "a DataView at v", kind: runtime.KindOutput, allow: []string{"typed_arrays"}},
		{body: `return {v: [...new Uint8Array([1, 2])]}`, want: `[1,2]`, allow: []string{"typed_arrays"}},
		{body: `return {v: typeof Uint8Array + typeof ArrayBuffer + typeof DataView}`, want: `"undefinedundefinedundefined"`},
	},
	"Proxy":                          {{body: `return {v: new Proxy({}, {})}`, want: "Proxy is not defined", kind: runtime.KindGuest}},
	"Number, String, Boolean object": {{body: `return {v: [new Number(1.5), new String("x"), new Boolean(false)]}`, want: `[1.5,"x",false]`}},
	"class with toJSON": {
		{body: `let n = 0; class A { toJSON(key) { n++; return {key, n} } } return {v: new A()}`, want: `{"key":"v","n":1}`},
		{body: `return {v: {toJSON() { return undefined }}}`, want: "undefined from toJSON at v", kind: runtime.KindOutput},
	},
	"class instance":           {{body: `class A { x = 1; #y = 2; get z() { return 3 } } return {v: new A()}`, want: `{"x":1}`}, {body: `let n = 0; return {v: {get a() { return ++n }}}`, want: `{"a":1}`}},
	"JSON.rawJSON(text)":       {{body: `return {v: [JSON.rawJSON('9007199254740993'), JSON.rawJSON('1.0')]}`, want: `[9007199254740993,1.0]`}},
	"cycle":                    {{body: `const a = {b: {}}; a.b.a = a; return {v: a}`, want: "a cycle at v.b.a", kind: runtime.KindOutput}},
	"nesting beyond `depth`":   {{body: `let a = 1; for (let i = 0; i < 600; i++) a = [a]; return {v: a}`, want: "deeper than budget.depth", kind: runtime.KindOutput}},
	"more bytes than `output`": {{body: `return {v: ['x'.repeat(8e6), 'y'.repeat(8e6)]}`, want: "larger than budget.output", kind: runtime.KindOutput}},
}

// TestValuesOut proves the README's table of what a value becomes, row by row, and that
// every row has its test.
func TestValuesOut(t *testing.T) {
	unread := map[string]bool{}
	for name := range valuesOut {
		unread[name] = true
	}
	for _, name := range readmeRows(t, "| value | becomes |") {
		rows, ok := valuesOut[name]
		if !ok {
			t.Errorf("the README's row %q has no test", name)
		}
		delete(unread, name)
		for _, row := range rows {
			t.Run(name, row.run)
		}
	}
	for name := range unread {
		t.Errorf("%q is no row of the README", name)
	}
}

func (row valueOut) run(t *testing.T) {
	w := load(t, "export default (msg) => { "+row.body+" }", func(s *runtime.Settings) {
		s.Allow = row.allow
		s.Budget.Timeout = 30 * time.Second
		if row.integers != "" {
			s.Integers = row.integers
		}
	})
	got, err := one(w, came)
	var f *runtime.Failure
	if errors.As(err, &f) {
		if f.Kind != row.kind || !strings.Contains(f.Message, row.want) {
			t.Errorf("%s: %v, want %s with %q", row.body, f, row.kind, row.want)
		}
		return
	}
	if err != nil || row.kind != "" || got != `{"v":`+row.want+`}` {
		t.Errorf("%s: %s, %v, want %s", row.body, got, err, row.want)
	}
}

// TestMetaKeepsIntegers proves that an integer which JavaScript rounded does not become a text in
// meta as if it were whole.
func TestMetaKeepsIntegers(t *testing.T) {
	for integers, want := range map[string]string{"error": "output", "string": "9007199254740993", "lossy": "9007199254740992"} {
		w := load(t, `export default (msg) => { msg.meta.id = msg.payload.id; msg.meta.n = msg.payload.n; return msg }`,
			func(s *runtime.Settings) { s.Integers = integers })
		r, err := apply(w, `{"id":9007199254740993,"n":9007199254740991}`)
		got := kindOf(err)
		if err == nil {
			got = r.Out[0].Meta["id"]
		}
		if got != want || err == nil && r.Out[0].Meta["n"] != "9007199254740991" {
			t.Errorf("%s: %s (%v), want %s", integers, got, err, want)
		}
	}
}

// TestMovedTextKeepsItsDepth proves that budget.depth holds for what is spliced: also for a
// part of the input that is put deeper, with a change below it.
func TestMovedTextKeepsItsDepth(t *testing.T) {
	for source, want := range map[string]string{
		`return { a: { b: d } }`:                     `{"a":{"b":{"c":{"v":2},"y":[[1]],"s":"[[[["}}}`,
		`return { a: { b: { e: d } } }`:              "output",
		`d.y[0][0] = { z: 1 }; return { a: d }`:      `{"a":{"c":{"v":2},"y":[[{"z":1}]],"s":"[[[["}}`,
		`d.y[0] = 1; return { a: { b: { e: d } } }`:  `{"a":{"b":{"e":{"c":{"v":2},"y":[1],"s":"[[[["}}}}`,
		`d.y[0][0] = { z: 1 }; return { a: {b: d} }`: "output",
	} {
		w := load(t, `export default (msg) => { const d = msg.payload.d; d.c.v = 2; `+source+` }`, func(s *runtime.Settings) { s.Budget.Depth = 5 })
		got, err := one(w, `{"d":{"c":{"v":[[1]]},"y":[[1]],"s":"[[[["}}`)
		if err != nil {
			got = kindOf(err)
		}
		if got != want {
			t.Errorf("%s: %s (%v), want %s", source, got, err, want)
		}
	}
}

// readmeRows returns the first cells of the table under a head.
func readmeRows(t *testing.T, head string) (rows []string) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), head+"\n|---|---|\n")
	for line := range strings.Lines(table) {
		if !strings.HasPrefix(line, "| ") {
			break
		}
		cell, _, _ := strings.Cut(strings.TrimPrefix(line, "| "), " | ")
		rows = append(rows, cell)
	}
	if len(rows) == 0 {
		t.Fatal("the README has no such table")
	}
	return rows
}
