package script

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/leat-run/leat/runtime"
)

// fieldCase is one input from the list of cases: what the transform's body does with the
// messages, one after the other on one worker. A want is the payloads that come out, or a
// kind, then a colon and a part of the failure's message.
type fieldCase struct {
	body, in, want string
	function       string // instead of body: the whole module
	change         func(*runtime.Settings)
}

// fieldCases are C01 to C30 with the inputs of the list.
var fieldCases = map[string][]fieldCase{
	"C01 a big integer stays": {
		{body: `return msg`, in: `{"id":9007199254740993,"n":228930314431312345}`, want: `{"id":9007199254740993,"n":228930314431312345}`},
		{body: `msg.payload.n = 1; return msg`, in: `{"id":9007199254740993,"n":228930314431312345}`, want: `{"id":9007199254740993,"n":1}`},
		{body: `return {payload: msg.payload, key: 'k'}`, in: `{"id":9007199254740993}`, want: `{"id":9007199254740993}`},
	},
	"C02 missing is not null": {{body: `const r = msg.payload; return {a: r.a, b: r.b}`, in: `{"a":null}`, want: `{"a":null}`}},
	"C03 null in an array": {
		{body: `return msg`, in: `{"hello":[1,null,"world"]}`, want: `{"hello":[1,null,"world"]}`},
		{body: `msg.payload.hello.push(null); return msg`, in: `{"hello":[1,null,"world"]}`, want: `{"hello":[1,null,"world",null]}`},
	},
	"C04 an empty list stays a list": {
		{body: `return {payload: msg.payload}`, in: `{"tags":[],"o":{}}`, want: `{"tags":[],"o":{}}`},
		{body: `return {tags: msg.payload.tags.slice(), o: {...msg.payload.o}}`, in: `{"tags":[],"o":{}}`, want: `{"tags":[],"o":{}}`},
	},
	"C05 NaN and Infinity": {{body: `return {v: 0/0, w: 1/0}`, want: "output:NaN at v"}, {body: `return {v: 1, w: 1/0}`, want: "output:Infinity at w"}},
	"C06 BigInt out": {
		{body: `return {n: 10n}`, want: "output:a BigInt at n", change: func(s *runtime.Settings) { s.Allow = []string{"bigint"} }},
		{body: `return {n: Number(2n ** 40n) + Number(BigInt.asIntN(8, 255n))}`, want: `{"n":1099511627775}`, change: func(s *runtime.Settings) { s.Allow = []string{"bigint"} }},
	},
	"C07 a cycle": {{body: `var a = {}; a.a = a; return a`, want: "output:a cycle at a"}},
	"C08 a forgotten return": {
		{body: `msg.payload.x = 1`, want: "output:returned nothing"},
		{function: `function process(r) { r.x = 1 }; export default process`, want: "guest:msg has no"},
	},
	"C09 not a message": {
		{body: `return "x"`, want: "output:a string"}, {body: `return 5`, want: "output:a number"},
		{body: `return true`, want: "output:a boolean"}, {body: `return [1, 2]`, want: "output:element 0"},
		{body: `return [{a: 1}, msg]`, in: `{"b":2}`, want: `{"a":1}{"b":2}`},
	},
	"C10 throw anything": {
		{body: `throw "boom"`, want: "guest:boom"}, {body: `throw null`, want: "guest:null"},
		{body: `throw undefined`, want: "guest:undefined"}, {body: `throw {code: 42}`, want: `guest:{"code":42}`},
		{body: `throw 1.5`, want: "guest:1.5"}, {body: `throw Symbol('s')`, want: "guest:Symbol(s)"}, {body: `throw [1]`, want: "guest:[1]"},
		{body: `return {v: 1 * {toString() { return {} }, valueOf() { return {} }}}`, want: "guest:TypeError: Cannot convert an object to a primitive value"},
	},
	"C11 async": {{function: `export default async function (r) { return r }`, in: `{"a":1.0}`, want: `{"a":1.0}`}},
	"C12 a rejection that nobody awaits": {
		{body: `(async () => { throw new Error("late") })(); return msg`, want: "guest:nobody awaited it: Error: late"},
		{body: `(async () => { throw new Error("late") })().catch(() => {}); return msg`, in: `{}`, want: `{}`},
	},
	"C13 a generator":       {{function: `export default function* (r) { yield r; yield r }`, want: "output:a generator"}, {body: `return [...(function* () { yield msg; yield msg })()]`, in: `{}`, want: `{}{}`}},
	"C14 nine digits":       {{body: `return {t: new Date("2021-09-10T12:09:17.309693098-04:00").getTime()}`, want: `{"t":1631290157309}`}},
	"C15 local time is UTC": {{body: `return {t: new Date("2021-04-18 23:59:59").getTime()}`, want: `{"t":1618790399000}`}},
	"C16 no such date": {
		{body: `return {t: new Date("2024-13-45").toISOString()}`, want: "guest:RangeError"},
		{body: `return {t: new Date(NaN)}`, want: "output:an invalid date at t"},
	},
	"C17 look-behind":   {{body: `return {m: 'got:    sha256-AAA'.match(/(?<=got:\s+)sha256-\w+/)[0]}`, want: `{"m":"sha256-AAA"}`}},
	"C18 a long repeat": {{body: `return {m: new RegExp("^0x[0-9a-fA-F]{0,4096}$").test("0xab")}`, want: `{"m":true}`}},
	"C19 key order": {
		{body: `return msg`, in: `{"b":1,"2":1,"a":1,"1":1}`, want: `{"b":1,"2":1,"a":1,"1":1}`},
		{body: `msg.payload.a = 2; return msg`, in: `{"b":1,"2":1,"a":1,"1":1}`, want: `{"b":1,"2":1,"a":2,"1":1}`},
	},
	"C20 a key named __proto__": {
		{body: `return {ok: msg.payload.admin === undefined}`, in: `{"__proto__":{"admin":true},"a":1}`, want: `{"ok":true}`},
		{body: `const out = {}; for (const k in msg.payload) out[k] = msg.payload[k]; return {out, admin: out.admin === undefined}`, in: `{"__proto__":{"admin":true},"a":1}`,
			want: `{"out":{"__proto__":{"admin":true},"a":1},"admin":true}`},
	},
	"C21 an endless loop":       {{body: `while(true){}`, want: "fuel:"}},
	"C22 a loop that swallows":  {{body: `while(true){try{while(true){}}catch(e){}finally{continue}}`, want: "fuel:"}},
	"C23 recursion":             {{body: `function f(){return f()} f()`, want: "stack:"}},
	"C24 recursion via sort":    {{body: `function f(){[1,2].sort(f);return 0} f()`, want: "stack:"}},
	"C25 repeat":                {{body: `'x'.repeat(1024*1024*1024*1024)`, want: "memory:"}},
	"C26 a string that doubles": {{body: `var s='x';while(true){s+=s}`, want: "memory:"}},
	"C27 a regular expression blows up": {
		{body: `/^(?=(a+)+$)a/.test('a'.repeat(34)+'!')`, want: "timeout:", change: func(s *runtime.Settings) { s.Budget.Timeout = 200 * time.Millisecond }},
		{body: `return {m: /^(a+)+$/.test('a'.repeat(34)+'!')}`, want: `{"m":false}`},
	},
	"C29 microtasks for ever": {{body: `function f(){Promise.resolve().then(f)}; f(); return msg`, want: "fuel:"}},
	"C30 a global":            {{body: `globalThis.n=(globalThis.n||0)+1; return {n}`, want: "guest:TypeError"}},
}

// TestCases proves the cases C01 to C30 (C28 is TestC28LateTimer): the outcome is the same
// three times on one worker, so that the next message is fine after every failure.
func TestCases(t *testing.T) {
	for name, cases := range fieldCases {
		t.Run(name, func(t *testing.T) {
			for _, c := range cases {
				c.run(t)
			}
		})
	}
}

func (c fieldCase) run(t *testing.T) {
	source := c.function
	if source == "" {
		source = "export default (msg) => { " + c.body + "\n}"
	}
	if c.in == "" {
		c.in = `{}`
	}
	w := load(t, source, func(s *runtime.Settings) {
		s.Budget.Timeout = 30 * time.Second
		if c.change != nil {
			c.change(s)
		}
	})
	for range 3 {
		r, err := apply(w, c.in)
		var f *runtime.Failure
		if errors.As(err, &f) {
			kind, says, _ := strings.Cut(c.want, ":")
			if string(f.Kind) != kind || !strings.Contains(f.Message, says) {
				t.Errorf("%s\n%v, want %s", source, f, c.want)
			}
			continue
		}
		got := ""
		for _, m := range r.Out {
			got += string(m.Payload)
		}
		if err != nil || got != c.want {
			t.Errorf("%s\n%s, %v, want %s", source, got, err, c.want)
		}
	}
}

// TestC28LateTimer proves that a verdict of the watchdog which comes when a message has ended
// blames neither it nor the next one.
func TestC28LateTimer(t *testing.T) {
	m := compiledFor(t, `export default (msg) => ({n: 1 + 1})`)
	in, err := m.instantiate(t.Context(), runtime.Host{})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	message := runtime.Message{ID: "m", Codec: "json", Payload: []byte(`{}`)}
	for range 100 {
		in.watched.arm(t.Context(), time.Now())
		deadline := in.watched.deadline.Load()
		in.watched.judge(deadline+1, deadline) // fires between the end of a message and disarm
		if in.watched.disarm() == nil {
			t.Fatal("the verdict is gone")
		}
		if r, err := in.Apply(t.Context(), message); err != nil || string(r.Out[0].Payload) != `{"n":2}` {
			t.Fatal(r, err)
		}
	}
}

func compiledFor(t *testing.T, source string) *module {
	t.Helper()
	f := New(Options{})
	m, err := f.Compile(t.Context(), runtime.Code{Name: "t.ts", Dir: "/", Bytes: []byte(source)},
		runtime.Settings{Budget: f.Defaults(), State: runtime.StateReuse, Integers: "error"})
	if err != nil {
		t.Fatal(err)
	}
	return m.(*module)
}
