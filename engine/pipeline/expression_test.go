package pipeline

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/leat-run/leat/runtime"
)

func testView(payload string) *View {
	return NewView(
		map[string]any{"vip": int64(10_000), "rate": 1.5, "regions": []any{"eu", "us"}},
		map[string]any{"day": "monday"},
		runtime.Message{Codec: "json", Payload: []byte(payload), Meta: runtime.Meta{"region": "eu"}},
	)
}

func mustCompile(t testing.TB, text string, want expressionKind) *Expression {
	t.Helper()
	v := testView("")
	e, bad := newCompiler(v.constants, v.parameters).compile(text, want)
	if len(bad) > 0 {
		t.Fatalf("%s: %+v", text, bad)
	}
	return e
}

// TestMatch proves what conditions mean: numbers compare and calculate as authors of JSON
// expect, a missing field is an error that matches nothing, and nothing is rounded.
func TestMatch(t *testing.T) {
	for _, c := range []struct {
		text, payload string
		want          bool
		err           string // a part of it; "" for none
	}{
		{`payload.total > 10000`, `{"total": 10001}`, true, ""},
		{`payload.total > 10000`, `{"total": 10001.5}`, true, ""},
		{`payload.total > 10000`, `{"total": 1e5}`, true, ""},
		{`payload.total > 10000.5`, `{"total": 10001}`, true, ""},
		{`payload.total > constants.vip`, `{"total": 10000}`, false, ""},
		{`payload.total * 1.2 == 120.0`, `{"total": 100}`, true, ""},
		{`payload.total * 2 == 201`, `{"total": 100.5}`, true, ""},
		{`2 * payload.total - 1 == 200`, `{"total": 100.5}`, true, ""},
		{`payload.total / 2 > 50`, `{"total": 101}`, false, ""},
		{`payload.total / 2.0 > 50`, `{"total": 101}`, true, ""},
		{`constants.rate + payload.n == 3`, `{"n": 1.5}`, true, ""},
		{`payload.n % 2 == 0`, `{"n": 4}`, true, ""},
		{`payload.n == 7`, `{"n": 7.0}`, true, ""},
		{`payload.n == 9007199254740993`, `{"n": 9007199254740993}`, true, ""},
		{`payload.n == 9007199254740992`, `{"n": 9007199254740993}`, false, ""},
		{`payload.n > 0`, `{"n": 18446744073709551615}`, true, ""},
		{`payload.n > 0`, `{"n": 18446744073709551616}`, false, "no whole number of 64 bits"},
		{`payload.n == 0`, `{"n": -0}`, true, ""},
		{`payload.missing > 1`, `{"total": 1}`, false, "no such key: missing"},
		{`payload.a.b.c == 1`, `{"a": {"b": {"c": 1}}}`, true, ""},
		{`payload.a.b == 1`, `{"a": 1}`, false, "no such key"},
		{`has(payload.a)`, `{"b": 1}`, false, ""},
		{`has(payload.a) && payload.a > 1`, `{"a": 2}`, true, ""},
		{`has(payload.a.b)`, `{"a": {"b": null}}`, true, ""},
		{`payload.a == null`, `{"a": null}`, true, ""},
		{`payload.total > 1`, `{"total": "12"}`, false, "no such overload"},
		{`payload.vip`, `{"vip": true}`, true, ""},
		{`payload.vip`, `{"vip": "yes"}`, false, "true or false"},
		{`payload.a == 2`, `{"a": 1, "a": 2}`, true, ""},
		{`payload["a b"] == "\u00e9"`, `{"a\u0020b": "\u00e9"}`, true, ""},
		{`payload.list[1] == "b"`, `{"list": ["a", "b"]}`, true, ""},
		{`payload.list[2] == "b"`, `{"list": ["a", "b"]}`, false, "index out of bounds"},
		{`size(payload.list) == 3 && 2.5 in payload.list`, `{"list": [1, 2.5, {"x": [1]}]}`, true, ""},
		{`payload.items.exists(i, i.price > 10)`, `{"items": [{"price": 1}, {"price": 11}]}`, true, ""},
		{`payload.items.map(i, i.price).size() == 2`, `{"items": [{"price": 1}, {"price": 11}]}`, true, ""},
		{`payload.all(k, k.startsWith("a"))`, `{"a1": 1, "a2": 2}`, true, ""},
		{`"a" in payload && size(payload) == 1`, `{"a": {}}`, true, ""},
		{`payload == {"a": [1, 2.0]}`, `{"a":[1.0,2]}`, true, ""},
		{`payload.id.matches("^[a-z]+$")`, `{"id": "abc"}`, true, ""},
		{`meta.region in constants.regions && parameters.day == "monday"`, `{}`, true, ""},
		{`meta.missing == ""`, `{}`, false, "no such key"},
		{`payload == 5`, ` 5 `, true, ""},
		{`payload[0] == "x"`, `["x"]`, true, ""},
		{`payload.a`, ``, false, "empty"},
		{`payload.a == 1`, `{"a": 1`, false, "no JSON"},
		{`payload.a == 1`, `{"a": nul}`, false, "no JSON"},
		{`payload.a / 0 == 1`, `{"a": 1}`, false, "division by zero"},
		{`payload.a + 1 > 0`, `{"a": 9223372036854775807}`, false, "overflow"},
		{`payload.t > timestamp("2024-01-01T00:00:00Z")`, `{"t": 5}`, false, "no such overload"},
		{`timestamp(payload.t) - duration("1h") > timestamp("2024-01-01T00:00:00Z")`, `{"t": "2024-01-01T02:00:00Z"}`, true, ""},
		{`payload.l + [3] == [1, 2, 3] && payload.s + "b" == "ab"`, `{"l": [1, 2], "s": "a"}`, true, ""},
		{`payload.b + payload.a == 2`, `{"a": 1, "b": true}`, false, "no such overload"},
	} {
		got, err := mustCompile(t, c.text, predicateExpression).Match(testView(c.payload))
		if got != c.want || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s on %s: got %v, %v, want %v, %q", c.text, c.payload, got, err, c.want, c.err)
		}
	}
}

// TestKey proves that equal values give equal keys and that what is no key is an error.
func TestKey(t *testing.T) {
	for _, c := range []struct{ text, payload, want, err string }{
		{`payload.id`, `{"id": "a\u0062"}`, "ab", ""},
		{`payload.id`, `{"id": 7}`, "7", ""},
		{`payload.id`, `{"id": 7.0}`, "7", ""},
		{`payload.id`, `{"id": 70e-1}`, "7", ""},
		{`payload.id`, `{"id": 7.25}`, "7.25", ""},
		{`payload.id`, `{"id": -0}`, "0", ""},
		{`payload.id`, `{"id": 18446744073709551615}`, "18446744073709551615", ""},
		{`payload.id`, `{"id": 10000000000000000000}`, "10000000000000000000", ""},
		{`payload.id`, `{"id": 1e19}`, "10000000000000000000", ""},
		{`payload.id`, `{"id": 1e30}`, "1e+30", ""},
		{`payload.id`, `{"id": -9223372036854775808}`, "-9223372036854775808", ""},
		{`payload.id`, `{"id": -9223372036854775808.0}`, "-9223372036854775808", ""},
		{`payload.id`, `{"id": 9223372036854775808.0}`, "9223372036854775808", ""},
		{`payload.id`, `{"id": true}`, "true", ""},
		{`payload.a + "/" + string(payload.b)`, `{"a": "x", "b": 2}`, "x/2", ""},
		{`payload.id`, `{"id": null}`, "", "a key must be"},
		{`payload.id`, `{"id": {}}`, "", "a key must be"},
		{`payload.id`, `{}`, "", "no such key"},
	} {
		got, err := mustCompile(t, c.text, keyExpression).Key(testView(c.payload))
		if got != c.want || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s on %s: got %q, %v, want %q, %q", c.text, c.payload, got, err, c.want, c.err)
		}
	}
}

// TestRawPayload proves that a payload that is no JSON is bytes.
func TestRawPayload(t *testing.T) {
	v := NewView(nil, nil, runtime.Message{Codec: "raw", Payload: []byte("abc")})
	if ok, err := mustCompile(t, `payload == b"abc" && size(payload) == 3`, predicateExpression).Match(v); !ok || err != nil {
		t.Error(ok, err)
	}
	if key, err := mustCompile(t, `payload`, keyExpression).Key(v); key != "abc" || err != nil {
		t.Error(key, err)
	}
}

// TestCostLimit proves that an expression with loops ends at the limit, as an error.
func TestCostLimit(t *testing.T) {
	payload := `{"l": [` + strings.Repeat("1,", 2000) + `1]}`
	e := mustCompile(t, `payload.l.exists(a, payload.l.exists(b, a + b == 3))`, predicateExpression)
	ok, err := e.Match(testView(payload))
	if ok || err == nil || !strings.Contains(err.Error(), "cost limit") {
		t.Error(ok, err)
	}
}

// TestDeepPayload proves that nesting costs no stack.
func TestDeepPayload(t *testing.T) {
	payload := `{"a":` + strings.Repeat("[", 1<<20) + strings.Repeat("]", 1<<20) + `,"b":1}`
	if ok, err := mustCompile(t, `payload.b == 1`, predicateExpression).Match(testView(payload)); !ok || err != nil {
		t.Error(ok, err)
	}
}

// TestViewReset proves that a view can go from message to message.
func TestViewReset(t *testing.T) {
	e := mustCompile(t, `payload.n == 1`, predicateExpression)
	v := testView(`{"n": 1}`)
	for i, payload := range []string{`{"n": 1}`, `{"n": 2}`, `[1]`, `{"x": 0, "n": 1}`} {
		v.Reset(runtime.Message{Codec: "json", Payload: []byte(payload), Ingested: time.Time{}})
		if ok, _ := e.Match(v); ok != (i%3 == 0) {
			t.Errorf("%s: %v", payload, ok)
		}
	}
}

// FuzzExpressionPayload proves that no payload makes an expression panic, and that what an
// expression says of a JSON text does not depend on how the text is laid out.
func FuzzExpressionPayload(f *testing.F) {
	e := mustCompile(f, `payload.a.b == 1 || payload.l.exists(x, x > 1) || payload.s.startsWith("x")`, predicateExpression)
	for _, seed := range []string{`{"a":{"b":1}}`, `{"l":[1,2]}`, `{"s":"\u00"}`, `[`, `{"a`, `{"a":}`, `-`, `{"a":[}]`, "{\"a\":1,}", `{"a":{"b":2,"b":1.0}}`, `{"s":"\u0078"}`, `{"l":[[],"2",9007199254740993]}`, `{"a":{"b":1e400}}`, ` {"\u0061" : null , "l" : { } } `} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, payload []byte) {
		match := func(payload []byte) string {
			ok, err := e.Match(NewView(nil, nil, runtime.Message{Codec: "json", Payload: payload}))
			if ok && err != nil {
				t.Error("both a match and an error")
			}
			return fmt.Sprint(ok, err)
		}
		want := match(payload)
		if !json.Valid(payload) || !utf8.Valid(payload) {
			return // no payload of this codec: it is enough that nothing panics
		}
		var compact, wide bytes.Buffer
		if err := cmp.Or(json.Compact(&compact, payload), json.Indent(&wide, payload, " ", "\t")); err != nil {
			t.Fatal(err)
		}
		for _, text := range [][]byte{compact.Bytes(), wide.Bytes()} {
			if got := match(text); got != want {
				t.Errorf("%q: %s, but %q: %s", payload, want, text, got)
			}
		}
	})
}

// BenchmarkMatch prints what one condition on one field of a 300-byte order costs, beside
// decoding the order with encoding/json.
func BenchmarkMatch(b *testing.B) {
	order := []byte(`{"id":"ord-000123","customer":{"id":"c-7781","name":"Ada Lovelace","country":"GB"},"items":[{"sku":"A-1","qty":2,"price":19.5},{"sku":"B-22","qty":1,"price":99}],"total":138.0,"currency":"EUR","note":"leave at the \"back\" door, please","created":"2026-11-30T04:12:09Z","flags":["gift","express"]}`)
	m := runtime.Message{Codec: "json", Payload: order, Meta: runtime.Meta{"region": "eu"}}
	constants := map[string]any{"vip": int64(10_000)}
	run := func(name, text string) {
		b.Run(name, func(b *testing.B) {
			e, bad := newCompiler(constants, nil).compile(text, predicateExpression)
			if len(bad) > 0 {
				b.Fatal(bad)
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := e.Match(NewView(constants, nil, m)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	run("field", `payload.total > 100`)
	run("field-constant", `payload.total > constants.vip`)
	run("nested", `payload.customer.country == "GB" && payload.total > 100`)
	run("loop", `payload.items.exists(i, i.price > 50)`)
	run("meta", `meta.region == "eu"`)
	b.Run("encoding-json", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var v map[string]any
			if err := json.Unmarshal(order, &v); err != nil {
				b.Fatal(err)
			}
		}
	})
}
