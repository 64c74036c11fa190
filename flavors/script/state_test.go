package script

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/leat-run/leat/runtime"
)

// stateful is a script whose module variables, cache, chance and clock would give another
// result with every history.
const stateful = `
let count = 0
const cache = new Map()
export default (msg) => {
	count++
	cache.set(msg.payload.n % 3, count)
	return { n: msg.payload.n, count, cached: [...cache], random: Math.random(), now: Date.now(), zone: new Date(0).getTimezoneOffset() }
}`

// TestFreshIsTheSameWithAnyWorkers proves that under state: fresh a message's result and fuel
// do not depend on how many workers share the messages, nor on what came before.
func TestFreshIsTheSameWithAnyWorkers(t *testing.T) {
	f := New(Options{})
	m, err := f.Compile(t.Context(), runtime.Code{Name: "t.ts", Dir: "/", Bytes: []byte(stateful)},
		runtime.Settings{Budget: f.Defaults(), State: runtime.StateFresh, Integers: "error"})
	if err != nil {
		t.Fatal(err)
	}
	var first []string
	for _, workers := range []int{1, 2, 8} {
		got := shared(t, m, workers, 60)
		if first == nil {
			first = got
		}
		if !slices.Equal(got, first) {
			t.Errorf("with %d workers:\n%s\nwith 1:\n%s", workers, got, first)
		}
	}
	if first[0][:len(`{"n":0,"count":1`)] != `{"n":0,"count":1` {
		t.Error(first[0])
	}
}

// TestFreshForgets proves that under state: fresh every message has the result and the fuel
// of the first one, also where an instance could remember: patterns that were compiled,
// names that Symbol.for knows.
func TestFreshForgets(t *testing.T) {
	for name, source := range map[string]string{
		"a pattern made at run time": `export default (msg) => ({ ok: new RegExp('^a' + msg.payload.n).test('a1') })`,
		"a text as a pattern":        `export default (msg) => ({ ok: 'a1'.search('a' + msg.payload.n) })`,
		"a backtracking literal":     `export default () => ({ ok: /(?=a)a/.test('a1') })`,
		"Symbol.for":                 `let n = 0; export default (msg) => { for (; n < 600; n++) Symbol.for(Math.random() + 'n' + n); return { n } }`,
	} {
		t.Run(name, func(t *testing.T) {
			w := load(t, source, func(s *runtime.Settings) { s.State = runtime.StateFresh })
			first := ""
			for i := range 3 {
				r, err := w.Apply(t.Context(), runtime.Message{ID: fmt.Sprint(i), Codec: "json", Payload: []byte(`{"n":1}`)})
				if err != nil {
					t.Fatal(err)
				}
				got := fmt.Sprint(string(r.Out[0].Payload), " ", r.Usage.Fuel)
				if first == "" {
					first = got
				}
				if got != first {
					t.Errorf("message %d: %s, the first: %s", i, got, first)
				}
			}
		})
	}
}

// shared applies messages 0 to n-1 on that many workers, each taking what comes next, and
// returns results and fuel by message.
func shared(t *testing.T, m runtime.Module, workers, n int) []string {
	results := make([]string, n)
	next := make(chan int)
	var group sync.WaitGroup
	for range workers {
		w, err := runtime.NewWorker(t.Context(), m, runtime.Host{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		group.Go(func() {
			defer func() { _ = w.Close() }()
			for i := range next {
				r, err := w.Apply(context.Background(), runtime.Message{
					ID: fmt.Sprint("m", i), Codec: "json", Payload: fmt.Appendf(nil, `{"n":%d}`, i), Ingested: time.UnixMilli(int64(1000 * i)).UTC(),
				})
				if err != nil {
					results[i] = err.Error()
					continue
				}
				results[i] = fmt.Sprint(string(r.Out[0].Payload), " ", r.Usage.Fuel)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	group.Wait()
	return results
}

// TestViewsOutliveTheirMessage proves that under state: reuse a view kept in a module
// variable still reads, and writes, what it did, though its index is used again.
func TestViewsOutliveTheirMessage(t *testing.T) {
	w := load(t, `let kept = []
		export default (msg) => {
			kept.push(msg.payload, msg)
			return { all: kept.map((k) => k.payload ?? k), firsts: kept.map((k) => k.items?.[1]?.id ?? null) }
		}`)
	want := []string{
		`{"all":[{"items":[1,{"id":"a"}]},{"items":[1,{"id":"a"}]}],"firsts":["a",null]}`,
		`{"all":[{"items":[1,{"id":"a"}]},{"items":[1,{"id":"a"}]},{"x":[[[]]],"items":[null,{"id":"b"}]},{"x":[[[]]],"items":[null,{"id":"b"}]}],"firsts":["a",null,"b",null]}`,
	}
	for i, in := range []string{`{"items":[1,{"id":"a"}]}`, `{"x":[[[]]],"items":[null,{"id":"b"}]}`} {
		if got, err := one(w, in); got != want[i] || err != nil {
			t.Errorf("%s, %v\nwant %s", got, err, want[i])
		}
	}
}

// TestAsync proves what of promises settles: whatever needs no work outside.
func TestAsync(t *testing.T) {
	for source, want := range map[string]string{
		`export default async (msg) => { await null; await Promise.resolve(); msg.payload.x = 1; return msg }`:                                   `{"a":1,"x":1}`,
		`export default async function (msg) { const all = await Promise.all([1, Promise.resolve(2)]); return {all} }`:                           `{"all":[1,2]}`,
		`export default (msg) => Promise.resolve(msg).then((m) => [m, m])`:                                                                       `{"a":1}{"a":1}`,
		`export default async () => { try { await Promise.reject(new Error('no')) } catch (e) { return {e: e.message} } }`:                       `{"e":"no"}`,
		`export default async (msg) => { const r = []; for (const x of [1, 2]) r.push(await x); return {r} }`:                                    `{"r":[1,2]}`,
		`export default async () => { const r = await Promise.allSettled([Promise.reject(1)]); return {r: r[0].status} }`:                        `{"r":"rejected"}`,
		`export default () => new Promise((resolve) => resolve({ok: true}))`:                                                                     `{"ok":true}`,
		`async function* g() { yield 1; yield 2 } export default async () => { const r = []; for await (const x of g()) r.push(x); return {r} }`: `{"r":[1,2]}`,
		`export default async () => null`:                                                           ``,
		`export default () => new Promise(() => {})`:                                                `output`,
		`export default async () => { throw new TypeError('x') }`:                                   `guest`,
		`export default async () => {}`:                                                             `output`,
		`export default async (msg) => { const p = Promise.reject(new Error('late')); return msg }`: `guest`,
	} {
		w := load(t, source)
		for range 2 {
			r, err := apply(w, `{"a":1}`)
			got := kindOf(err)
			for _, m := range r.Out {
				got += string(m.Payload)
			}
			if got != want {
				t.Errorf("%s: %s (%v), want %s", source, got, err, want)
			}
		}
	}
}
