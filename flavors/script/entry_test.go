package script

import (
	"errors"
	"strings"
	"testing"

	"github.com/leat-run/leat/runtime"
)

func compileEntry(t *testing.T, entry runtime.Entry, source string) (*runtime.Worker, error) {
	t.Helper()
	flavor := New(Options{})
	module, err := flavor.Compile(t.Context(), runtime.Code{Name: "fold.js", Bytes: []byte(source), Entry: entry}, runtime.Settings{
		Budget: flavor.Defaults(), State: runtime.StateFresh, Integers: "error", Config: []byte(`{"constants":{"limit":3},"parameters":{}}`),
	})
	if err != nil {
		return nil, err
	}
	worker, err := runtime.NewWorker(t.Context(), module, runtime.Host{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = worker.Close() })
	return worker, nil
}

// The functions of causal stages get the call's members and ctx, and return one answer with untouched values
// byte for byte; state: fresh forgets module variables.
func TestEntries(t *testing.T) {
	const call = `{"state":{"n":1.0,"big":9007199254740993},"msg":{"topic":"orders","offset":7,"key":"k","value":{"id":9007199254740993,"x":1.50},"headers":{"h":"v"}}}`
	for _, c := range []struct {
		name   string
		entry  runtime.Entry
		source string
		want   string
	}{
		{"fold", runtime.EntryFold, `let seen = 0; export function fold(state, msg, ctx) { seen++; state.n += ctx.constants.limit; return {state, emit: [{to: "out", key: msg.key, value: msg.value, headers: {seen: String(seen)}}]} }`,
			`{"state":{"n":4,"big":9007199254740993},"emit":[{"to":"out","key":"k","value":{"id":9007199254740993,"x":1.50},"headers":{"seen":"1"}}]}`},
		{"handle", runtime.EntryHandle, `export function handle(msg) { return [{to: msg.topic, value: msg.offset + 1}] }`, `[{"to":"orders","value":8}]`},
		{"declared only", runtime.EntryHandle, `function handle(msg) { return [] }`, `[]`},
		{"default", runtime.EntryHandle, `export default (msg) => ({to: "out", value: msg.value.x})`, `{"to":"out","value":1.5}`},
		{"promise", runtime.EntryFold, `export async function fold(state, msg) { return {state: null} }`, `{"state":null}`},
		{"null", runtime.EntryFold, `export function fold() { return null }`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			worker, err := compileEntry(t, c.entry, c.source)
			if err != nil {
				t.Fatal(err)
			}
			var fuel int64
			for range 2 {
				r, err := worker.Apply(t.Context(), runtime.Message{ID: "m", Codec: "json", Payload: []byte(call)})
				if err != nil {
					t.Fatal(err)
				}
				if c.want == "" {
					if !r.Null || len(r.Out) != 0 {
						t.Errorf("result %+v", r)
					}
				} else if len(r.Out) != 1 || string(r.Out[0].Payload) != c.want {
					t.Errorf("answer %s, want %s", r.Out[0].Payload, c.want)
				}
				if fuel != 0 && fuel != r.Usage.Fuel {
					t.Errorf("fuel %d, then %d", fuel, r.Usage.Fuel)
				}
				fuel = r.Usage.Fuel
			}
		})
	}
}

// What is missing or returns nothing says how it is written.
func TestEntryMistakes(t *testing.T) {
	_, err := compileEntry(t, runtime.EntryFold, `export function transform(msg) { return msg }`)
	var f *runtime.Failure
	if !errors.As(err, &f) || f.Kind != runtime.KindCompile || !strings.Contains(f.Message, "no function fold") || !strings.Contains(f.Hint, "export function fold(state, msg)") {
		t.Errorf("%v, hint %q", err, f.Hint)
	}
	worker, err := compileEntry(t, runtime.EntryHandle, `export function handle(msg) {}`)
	if err != nil {
		t.Fatal(err)
	}
	_, err = worker.Apply(t.Context(), runtime.Message{Codec: "json", Payload: []byte(`{"msg":{}}`)})
	if !errors.As(err, &f) || f.Kind != runtime.KindOutput || !f.Deterministic {
		t.Error(err)
	}
}
