package main

import (
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/leat-run/leat/runtime"
)

// fieldCase is a script, a payload, and what must come of it: the outputs, joined, or the
// kind of the failure with a part of its message.
type fieldCase struct {
	name, source, in, want, says string
	or                           string // the other end it may come to; "" is none
	allow                        []string
}

// TestFieldCasesOfScripts proves the cases from the field that are about JavaScript values, as
// an author meets them: through the flavor as leat makes it. After each one the next message
// succeeds on a usable worker.
func TestFieldCasesOfScripts(t *testing.T) {
	for _, c := range []fieldCase{
		{name: "C01 untouched", source: `return msg`, in: `{"id":9007199254740993,"n":228930314431312345}`, want: `{"id":9007199254740993,"n":228930314431312345}`},
		{name: "C01 another field", source: `msg.payload.x = 1; return msg`, in: `{"id":9007199254740993}`, want: `{"id":9007199254740993,"x":1}`},
		{name: "C02 missing is not null", source: `const r = msg.payload; return {payload: {a: r.a, b: r.b}}`, in: `{"a":null}`, want: `{"a":null}`},
		{name: "C03 array with null", source: `return {payload: {hello: msg.payload.hello}}`, in: `{"hello":[1,null,"world"]}`, want: `{"hello":[1,null,"world"]}`},
		{name: "C04 empty list", source: `return {payload: {tags: msg.payload.tags, o: msg.payload.o, n: []}}`, in: `{"tags":[],"o":{}}`, want: `{"tags":[],"o":{},"n":[]}`},
		{name: "C05 NaN", source: `return {payload: {v: 0/0}}`, want: "output", says: "v"},
		{name: "C05 infinity", source: `return {payload: {w: 1/0}}`, want: "output", says: "w"},
		{name: "C06 BigInt is absent", source: `return {payload: {n: BigInt(10)}}`, want: "guest"},
		{name: "C06 BigInt out", source: `return {payload: {n: 10n}}`, want: "output", says: "n", allow: []string{"bigint"}},
		{name: "C07 cycle", source: `var a = {}; a.a = a; return {payload: a}`, want: "output", says: "cycle"},
		{name: "C08 forgotten return", source: `msg.payload.x = 1`, want: "output", says: "return"},
		{name: "C09 string", source: `return "x"`, want: "output"},
		{name: "C09 number", source: `return 5`, want: "output"},
		{name: "C09 bool", source: `return true`, want: "output"},
		{name: "C09 array of numbers", source: `return [1, 2]`, want: "output"},
		{name: "C09 array of messages", source: `return [msg, msg]`, in: `{"a":1}`, want: `{"a":1}{"a":1}`},
		{name: "C10 throw a text", source: `throw "boom"`, want: "guest", says: "boom"},
		{name: "C10 throw null", source: `throw null`, want: "guest", says: "null"},
		{name: "C10 throw undefined", source: `throw undefined`, want: "guest", says: "undefined"},
		{name: "C10 throw an object", source: `throw {code: 42}`, want: "guest", says: `{"code":42}`},
		{name: "C14 date with nine digits", source: `return {payload: {t: new Date("2021-09-10T12:09:17.309693098-04:00").getTime()}}`, want: `{"t":1631290157309}`},
		{name: "C15 local date-time is UTC", source: `return {payload: {t: new Date("2021-04-18 23:59:59").getTime()}}`, want: `{"t":1618790399000}`},
		{name: "C16 invalid date", source: `return {payload: {t: new Date("2024-13-45").toISOString()}}`, want: "guest", says: "RangeError"},
		{name: "C17 look-behind", source: `return {payload: {m: 'got:    sha256-AAA'.match(/(?<=got:\s+)sha256-\w+/)[0]}}`, want: `{"m":"sha256-AAA"}`},
		{name: "C18 a large repetition", source: `return {payload: {m: new RegExp("^0x[0-9a-fA-F]{0,4096}$").test("0xab")}}`, want: `{"m":true}`},
		{name: "C19 key order", source: `return msg`, in: `{"b":1,"2":1,"a":1,"1":1}`, want: `{"b":1,"2":1,"a":1,"1":1}`},
		{name: "C20 prototype", source: `return {payload: {ok: msg.payload.admin === undefined}}`, in: `{"__proto__":{"admin":true},"a":1}`, want: `{"ok":true}`},
		{name: "C21 loop", source: `while (true) {}`, want: "fuel", or: "timeout"}, // whichever ends it first
		{name: "C23 recursion", source: `function f() { return f() } f()`, want: "stack"},
		{name: "C27 regular expression", source: `/^(?=(a+)+$)a/.test('a'.repeat(34) + '!')`, want: "timeout"},
		{name: "C30 state", source: `globalThis.n = (globalThis.n || 0) + 1; return {payload: {n}}`, want: "guest"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := fieldWorker(t, c, time.Second)
			for range 2 {
				got, says := fieldApply(t, w, c.in)
				if (got != c.want && (c.or == "" || got != c.or)) || !strings.Contains(says, c.says) {
					t.Fatalf("got %s (%s), want %s (%s)", got, says, c.want, c.says)
				}
			}
		})
	}
}

func fieldWorker(t *testing.T, c fieldCase, timeout time.Duration) *runtime.Worker {
	t.Helper()
	flavor := flavors()["script"]
	settings := runtime.Settings{Budget: flavor.Defaults(), State: runtime.StateReuse, Integers: "error", Allow: c.allow}
	settings.Budget.Timeout = timeout
	text := "export default function (msg) { " + c.source + "\n}"
	module, err := flavor.Compile(t.Context(), runtime.Code{Name: "case.js", Dir: t.TempDir(), Bytes: []byte(text)}, settings)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = module.Close() })
	w, err := runtime.NewWorker(t.Context(), module, runtime.Host{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	return w
}

// fieldApply returns the outputs, joined, or the failure's kind and message.
func fieldApply(t *testing.T, w *runtime.Worker, payload string) (got, says string) {
	t.Helper()
	if payload == "" {
		payload = "{}"
	}
	result, err := w.Apply(t.Context(), runtime.Message{
		ID: "m", Codec: "json", Payload: []byte(payload), Ingested: time.UnixMilli(1_700_000_000_000).UTC(),
	})
	var failure *runtime.Failure
	switch {
	case errors.As(err, &failure):
		return string(failure.Kind), failure.Message
	case err != nil:
		t.Fatal(err)
	}
	for _, m := range result.Out {
		got += string(m.Payload)
	}
	return got, ""
}

// TestC28LateTimer proves that a message is never blamed for the time of the one before. The
// busy messages take about as long as the limit allows, so that their timer fires as they
// end; the one that follows each has next to nothing to do, and fails only if an interrupt
// that was meant for its predecessor meets it. It may be slow on its own on a machine that
// stops it for as long as the limit: that does not happen each time.
func TestC28LateTimer(t *testing.T) {
	w := fieldWorker(t, fieldCase{source: `
		for (let i = 0; i < msg.payload.n; i++);
		return {payload: {n: 1 + 1}}`}, 5*time.Millisecond)
	n, kept, blamed := 10_000, 0, 0
	const rounds = 200
	for range rounds {
		got, _ := fieldApply(t, w, `{"n":`+strconv.Itoa(n)+`}`)
		if got == `{"n":2}` {
			n += n / 10
			kept++
		} else {
			n -= n / 10
		}
		if got, _ := fieldApply(t, w, `{"n":0}`); got != `{"n":2}` {
			blamed++
		}
	}
	if kept == 0 || kept == rounds {
		t.Errorf("the limit was never met closely: %d of %d kept it", kept, rounds)
	}
	if blamed > rounds/20 {
		t.Errorf("%d of %d messages failed for what came before them", blamed, rounds)
	}
}
