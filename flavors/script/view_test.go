package script

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/leat-run/leat/runtime"
)

// corpus returns tricky JSON documents: written ones, and seeded ones that nest them
// with odd spaces, duplicate names and escapes.
func corpus() []string {
	scalars := []string{
		`0`, `-0`, `1.0`, `1e3`, `1E+3`, `0.1000`, `1e400`, `-1e-400`, `9007199254740993`, `228930314431312345`, `123456789012345678901234567890`,
		`""`, `"\u00e9"`, `"é"`, `"\/"`, `"\ud800"`, `"\ud83d\ude00"`, `"😀"`, `"\u2028"`, `"<&>"`, `"\u0000"`, `"a\\b\"c"`, `true`, `false`, `null`,
		`[]`, `{}`, `[ ]`, "{\n}", `[[]]`, `[null]`, `[{}]`, `{"":0}`, `{"__proto__":{"x":1}}`, `{"constructor":1,"toString":2}`,
		`{"b":1,"2":1,"a":1,"1":1}`, `{"a":1,"a":2}`, `{"a":{"x":1},"b":0,"a":{"x":2}}`, `{"length":5}`, "[1,\t2 ,\r\n3]", `{"k\u0065y":1}`,
	}
	docs := append([]string{}, scalars...)
	docs = append(docs, strings.Repeat("[", 500)+strings.Repeat("]", 500), strings.Repeat(`{"a":`, 400)+"1"+strings.Repeat("}", 400))
	r := rand.New(rand.NewPCG(7, 7))
	space := func() string { return []string{"", "", " ", "\n", "\t "}[r.IntN(5)] }
	for len(docs) < 240 {
		var b strings.Builder
		object := r.IntN(2) == 0
		b.WriteString(space() + map[bool]string{true: "{", false: "["}[object])
		for i := range r.IntN(20) {
			if i > 0 {
				b.WriteString("," + space())
			}
			if object {
				fmt.Fprintf(&b, `"%s"%s:%s`, []string{"a", "k", "10", "\\u0061", "é", "x y"}[r.IntN(6)]+[]string{"", "1", "2"}[r.IntN(3)], space(), space())
			}
			part := docs[r.IntN(len(docs))]
			if len(part) > 300 {
				part = scalars[r.IntN(len(scalars))]
			}
			b.WriteString(part + space())
		}
		b.WriteString(map[bool]string{true: "}", false: "]"}[object] + space())
		docs = append(docs, b.String())
	}
	return docs
}

// TestIdentity proves that a payload which is returned leaves byte for byte: untouched,
// read all over, moved below another object, and beside an assignment.
func TestIdentity(t *testing.T) {
	untouched := load(t, `export default (msg) => msg`)
	read := load(t, `export default (msg) => {
			const todo = [msg.payload]
			while (todo.length) { const v = todo.pop(); if (v && typeof v === 'object') for (const k of Object.keys(v)) todo.push(v[k]) }
			return msg
		}`)
	moved := load(t, `export default (msg) => ({payload: {was: msg.payload, n: 1}})`)
	for _, doc := range corpus() {
		for name, w := range map[string]*runtime.Worker{"untouched": untouched, "read": read} {
			if got, err := one(w, doc); err != nil || got != doc {
				t.Fatalf("%s: %q became %q (%v)", name, doc, got, err)
			}
		}
		trimmed := strings.Trim(doc, " \t\r\n")
		if !strings.ContainsAny(trimmed[:1], "{[") {
			continue // a scalar is assigned when it is moved
		}
		if got, err := one(moved, doc); err != nil || got != `{"was":`+trimmed+`,"n":1}` {
			t.Fatalf("moved: %q became %q (%v)", doc, got, err)
		}
	}
}

// one returns the one output's payload.
func one(w *runtime.Worker, doc string) (string, error) {
	r, err := apply(w, doc)
	if err != nil || len(r.Out) != 1 {
		return "", err
	}
	return string(r.Out[0].Payload), nil
}

// differential are expressions over p, a payload. Each must give the same JSON text on
// the lazy view and on the object that JSON.parse makes of the same bytes.
var differential = strings.Split(strings.TrimSpace(`
p.a
p.list.length
p.list[1]
p.list[99]
p.nothing
Object.keys(p)
Object.values(p.o)
Object.entries(p.o)
'a' in p
'zz' in p
p.hasOwnProperty('a')
Object.hasOwn(p,'o')
delete p.a, p
(delete p.zz)
p.n = 5, p
p.a = undefined, p
({...p})
({...p, a: 7})
Object.assign({}, p)
Object.assign(p, {q: 1})
Object.fromEntries(Object.entries(p.o))
JSON.stringify(p)
JSON.stringify(p, null, 2)
JSON.stringify(p, ['a','o','x'])
JSON.parse(JSON.stringify(p))
Array.isArray(p.list)
Array.isArray(p)
p instanceof Object
p.list instanceof Array
typeof p
Object.prototype.toString.call(p.list)
(({a, ...rest}) => rest)(p)
(([x, y, ...z]) => [x, y, z])(p.list)
(() => { const {o: {x}} = p; return x })()
(() => { const r = []; for (const k in p) r.push(k); return r })()
(() => { const r = []; for (const v of p.list) r.push(v); return r })()
p.list.map(x => x)
p.list.filter(x => typeof x === 'number')
p.nums.reduce((a, b) => a + b, 0)
p.nums.reduceRight((a, b) => a + '-' + b)
p.nums.some(x => x > 2)
p.nums.every(x => x > 2)
p.nums.find(x => x > 1)
p.nums.findIndex(x => x > 1)
p.nums.findLast(x => x > 1)
p.nums.findLastIndex(x => x < 3)
p.nums.indexOf(3)
p.nums.lastIndexOf(3)
p.nums.includes(3)
p.nums.join('-')
p.nums.slice(1)
p.nums.slice(-2)
p.nums.concat([9], p.list)
[0].concat(p.nums)
p.nums.sort()
p.nums.sort((a, b) => b - a)
p.nums.toSorted((a, b) => b - a)
p.nums.reverse()
p.nums.toReversed()
p.nums.push(8), p
p.nums.pop()
p.nums.shift(), p
p.nums.unshift(0), p
p.nums.splice(1, 1), p
p.nums.splice(1, 0, 7, 8), p
p.nums.toSpliced(1, 1)
p.nums.fill(0)
p.nums.fill(0, 1, 2)
p.nums.copyWithin(0, 1)
p.nums.with(0, 9)
p.nums.at(-1)
p.nums.entries().next().value
[...p.nums.keys()]
[...p.nums.values()]
p.deep.flat()
p.deep.flat(2)
p.nums.flatMap(x => [x, x])
p.nums.forEach(x => x)
p.nums.length = 1, p
p.nums[5] = 1, p.nums.length
p.nums[0]++, p
p.nums.toString()
Array.from(p.nums)
Array.from(p.nums, x => x * 2)
Math.max(...p.nums)
new Set(p.nums).size
new Map(Object.entries(p.o)).size
p.o === p.o
p.list[3] === p.list[3]
p.x = p.o, p.x.x = 2, p
p.o.y = p.list, p
p.o.x.toFixed
p.s.toUpperCase()
p.s.length
p.s + p.a
p.esc
p.uni.length
[...p.uni]
p.neg
p.f
p.e
p.o?.x?.y
p.missing?.x
p.t ? 1 : 2
p.nul === null
p.nul ?? 'd'
Object.getOwnPropertyNames(p.o)
Object.getOwnPropertyDescriptor(p, 'a').value
Reflect.ownKeys(p.o)
Reflect.has(p, 'a')
Reflect.get(p, 'a')
Reflect.deleteProperty(p, 'a'), p
p.constructor === Object
p.list.constructor === Array
String(p)
p.valueOf() === p
isNaN(p.s)
p.o.propertyIsEnumerable('x')
Object.isFrozen(p)
Object.isExtensible(p)
`), "\n")

// TestViewIsAnObject proves that a script cannot tell the view from an object.
func TestViewIsAnObject(t *testing.T) {
	doc := `{"a":1,"b":"two","list":[1,"x",null,{"y":2}],"nums":[3,1,2],"o":{"x":1,"z":[true]},"deep":[[1,[2]],3],` +
		`"s":"text","esc":"a\"\\\n\u00e9","uni":"é😀","neg":-5,"f":1.5,"e":1e3,"t":true,"nul":null,"__proto__":7}`
	if len(differential) < 100 {
		t.Fatalf("only %d scripts", len(differential))
	}
	for _, expression := range differential {
		source := `const run = (p) => { const v = (` + expression + `); return JSON.stringify([v === undefined ? 'undefined' : v]) }
			export default (msg) => ({view: run(msg.payload), plain: run(JSON.parse(` + "`" + strings.ReplaceAll(doc, `\`, `\\`) + "`" + `))})`
		w := load(t, source)
		r, err := apply(w, doc)
		if err != nil {
			t.Errorf("%s: %v", expression, err)
			continue
		}
		got := string(r.Out[0].Payload)
		parts := strings.SplitN(strings.TrimSuffix(strings.TrimPrefix(got, `{"view":`), "}"), `,"plain":`, 2)
		if len(parts) != 2 || parts[0] != parts[1] {
			t.Errorf("%s:\n view  %s\n plain %s", expression, parts[0], parts[len(parts)-1])
		}
	}
}

// FuzzIndex proves that the indexer accepts exactly what the standard library accepts, within
// the depth (UTF-8 is the codec's matter), that its nodes lie in the text and in each other, and that it
// counts the nesting as a reader of brackets does.
func FuzzIndex(f *testing.F) {
	for _, doc := range corpus()[:60] {
		f.Add([]byte(doc))
	}
	x := &indexer{limit: 1 << 20}
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) > 1<<14 {
			return // no more nodes than the limit
		}
		x.rewind()
		nodes, err := x.index(text, 100)
		var deep *depthError
		if valid := json.Valid(text); valid != (err == nil) && !(valid && errors.As(err, &deep) && textDepth(text) > 100) {
			t.Fatalf("%q: %v", text, err)
		}
		if err != nil {
			return
		}
		for i, n := range nodes {
			if n.start >= n.end || int(n.end) > len(text) || int(n.next) <= i || int(n.next) > len(nodes) {
				t.Fatalf("node %d of %q: %+v", i, text, n)
			}
		}
		if depth := textDepth(text); depth != x.deepest || depth > 100 {
			t.Fatalf("%q: depth %d, %d", text, depth, x.deepest)
		}
	})
}
