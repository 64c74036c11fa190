package guests

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/leat-run/leat/flavors/wasm"
	"github.com/leat-run/leat/runtime"
)

// scores are the worked examples, one per language. All of them mean the same.
var scores = map[string]string{
	"go":             "go/score/score.wasm",
	"c":              "c/score/score.wasm",
	"rust":           "rust/score/score.wasm",
	"assemblyscript": "assemblyscript/score/score.wasm",
}

// folds are the worked examples of a stage's guest. All of them mean the same.
var folds = map[string]string{
	"go":             "go/fulfil/fulfil.wasm",
	"c":              "c/fulfil/fulfil.wasm",
	"rust":           "rust/fulfil/fulfil.wasm",
	"assemblyscript": "assemblyscript/fulfil/fulfil.wasm",
}

// handlers are the worked examples of a stage without state. All of them mean the same.
var handlers = map[string]string{
	"c":              "c/audit/audit.wasm",
	"rust":           "rust/audit/audit.wasm",
	"assemblyscript": "assemblyscript/audit/audit.wasm",
}

func load(t *testing.T, file string) *runtime.Worker {
	return loadAs(t, file, "reactor", runtime.EntryTransform)
}

func loadAs(t *testing.T, file, abi string, entry runtime.Entry) *runtime.Worker {
	t.Helper()
	code, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	flavor := wasm.New(wasm.Options{})
	t.Cleanup(func() { _ = flavor.Close() })
	module, err := flavor.Compile(t.Context(), runtime.Code{Name: file, Bytes: code, Entry: entry}, runtime.Settings{
		Budget: flavor.Defaults(), State: runtime.StateReuse, ABI: abi, Config: []byte("{}"),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = module.Close() })
	worker, err := runtime.NewWorker(t.Context(), module, runtime.Host{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = worker.Close() })
	return worker
}

func apply(worker *runtime.Worker, payload string) (string, error) {
	result, err := worker.Apply(context.Background(), runtime.Message{ID: "m", Codec: "json", Payload: []byte(payload)})
	if err != nil {
		return "", err
	}
	var out []string
	for _, m := range result.Out {
		out = append(out, string(m.Payload))
	}
	return strings.Join(out, "\n"), nil
}

// Proves for every language that the committed module scores an order and changes no other
// byte of it, that its two faults end typed, and that the next order is fine after each.
func TestScore(t *testing.T) {
	for language, file := range scores {
		t.Run(language, func(t *testing.T) {
			worker := load(t, file)
			fine := func() {
				t.Helper()
				got, err := apply(worker, `{"id":"o-1","n":9007199254740993,"total":1234.56,"items":[{},{}],"priority":1,"note":"é \u00e9 {}"}`)
				want := `{"id":"o-1","n":9007199254740993,"total":1234.56,"items":[{},{}],"priority":1,"note":"é \u00e9 {}","score":36}`
				if err != nil || got != want {
					t.Errorf("%s, %v\nwant %s", got, err, want)
				}
			}
			fine()
			if got, err := apply(worker, `{"total":1e6,"items":[]}`); err != nil || got != `{"total":1e6,"items":[],"score":100}` {
				t.Error(got, err)
			}
			for payload, kind := range map[string]runtime.Kind{
				`{"id":"o-2","total":1,"items":[],"priority":7}`: runtime.KindRuntime,
				`[1]`: runtime.KindGuest,
			} {
				if _, err := apply(worker, payload); !errors.Is(err, &runtime.Failure{Kind: kind}) {
					t.Errorf("%s: %v, want kind %s", payload, err, kind)
				}
				fine()
			}
		})
	}
}

// Proves that an ordinary program serves as a transform: standard input to standard output,
// its exit code as failure with what it wrote to standard error, each message anew.
func TestCommand(t *testing.T) {
	worker := loadAs(t, "c/upper/upper.wasm", "command", runtime.EntryTransform)
	for range 2 {
		if got, err := apply(worker, `{"a":"ä é b"}`); err != nil || got != `{"A":"ä é B"}` {
			t.Error(got, err)
		}
		_, err := apply(worker, "")
		var failure *runtime.Failure
		if !errors.As(err, &failure) || failure.Kind != runtime.KindGuest || failure.Log != "nothing to read" {
			t.Errorf("%v, log %q", err, failure.Log)
		}
	}
}

// Proves for every language with a fold that the committed module keeps an order until it is paid, ships
// it with its key, and fails typed on a payment without its order.
func TestFold(t *testing.T) {
	for language, file := range folds {
		t.Run(language, func(t *testing.T) {
			worker := loadAs(t, file, "reactor", runtime.EntryFold)
			for call, want := range map[string]string{
				`{"state":null,"msg":{"topic":"orders","partition":0,"offset":0,"timestamp":1,"key":"o-1","value":{"total":30},"headers":{}}}`:                               `{"state":{"total":30,"paid":0}}`,
				` { "state" : null , "msg" : { "note":"\"total\": 9 {[", "topic":"orders", "value" : {"x":{"total":[1]},"s":"}\\","total" : 30 , "e":[]}, "key":"o\"1" } } `: `{"state":{"total":30,"paid":0}}`,
				`{"state":{"total":1,"paid":0},"msg":{"topic":"payments","key":"o\"1\\","value":{"amount":1}}}`:                                                              `{"state":null,"emit":[{"to":"shipments","value":{"order":"o\"1\\","paid":1}}]}`,
				`{"state":{"total":30,"paid":0},"msg":{"topic":"payments","partition":0,"offset":0,"timestamp":1,"key":"o-1","value":{"amount":10},"headers":{}}}`:           `{"state":{"total":30,"paid":10}}`,
				`{"state":{"total":30,"paid":10},"msg":{"topic":"payments","partition":0,"offset":1,"timestamp":1,"key":"o-1","value":{"amount":20},"headers":{"a":"b"}}}`:   `{"state":null,"emit":[{"to":"shipments","value":{"order":"o-1","paid":30}}]}`,
			} {
				if got, err := apply(worker, call); err != nil || got != want {
					t.Errorf("%s, %v\nwant %s", got, err, want)
				}
			}
			_, err := apply(worker, `{"state":null,"msg":{"topic":"payments","partition":0,"offset":0,"timestamp":1,"key":"o-1","value":{"amount":1},"headers":{}}}`)
			var failure *runtime.Failure
			if !errors.As(err, &failure) || failure.Kind != runtime.KindGuest || !strings.Contains(failure.Message, "a payment before its order") {
				t.Error(err)
			}
		})
	}
}

// Proves for every language with a handler that the committed module answers with a list, or with nothing to a
// deletion, that what it hands on keeps its bytes, and that it fails typed.
func TestHandle(t *testing.T) {
	for language, file := range handlers {
		t.Run(language, func(t *testing.T) {
			worker := loadAs(t, file, "reactor", runtime.EntryHandle)
			for call, want := range map[string]string{
				`{"msg":{"topic":"orders","partition":0,"offset":7,"timestamp":1,"key":"o-1","value":{"n":1.50,"s":"é\u00e9\"}]","big":9007199254740993},"headers":{"h":{"base64":"/w=="},"none":null}}}`: `[{"to":"audit","value":{"topic":"orders","offset":7,"value":{"n":1.50,"s":"é\u00e9\"}]","big":9007199254740993}},"headers":{"h":{"base64":"/w=="},"none":null}}]`,
				`{"msg":{"topic":"a","partition":0,"offset":0,"timestamp":1,"key":null,"value":{},"headers":{}}}`:                                                                                         `[{"to":"audit","value":{"topic":"a","offset":0,"value":{}},"headers":{}}]`,
			} {
				if got, err := apply(worker, call); err != nil || got != want {
					t.Errorf("%s, %v\nwant %s", got, err, want)
				}
			}
			if got, err := apply(worker, `{"msg":{"topic":"a","partition":0,"offset":0,"timestamp":1,"key":"k","value":null,"headers":{}}}`); err != nil || got != "" && got != "[]" {
				t.Errorf("a deletion: %s, %v", got, err)
			}
			_, err := apply(worker, `{"msg":{"topic":"a","partition":0,"offset":0,"timestamp":1,"key":"k","value":[1],"headers":{}}}`)
			var failure *runtime.Failure
			if !errors.As(err, &failure) || failure.Kind != runtime.KindGuest || failure.Message != "the value is no object" {
				t.Error(err)
			}
		})
	}
}

// Proves that all languages give the same outputs and the same kinds of failure on every
// order of the sample.
func TestLanguagesAgree(t *testing.T) {
	text, err := os.ReadFile("../testdata/pipelines/orders/orders.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	reference := load(t, scores["go"])
	others := map[string]*runtime.Worker{}
	for language, file := range scores {
		others[language] = load(t, file)
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if !json.Valid([]byte(line)) {
			continue // the decoder's dead letter: no guest sees it
		}
		line = strings.Replace(line, "{", `{"total":1249.5,`, 1)
		want, wantErr := apply(reference, line)
		for language, worker := range others {
			got, err := apply(worker, line)
			if got != want || kind(err) != kind(wantErr) {
				t.Fatalf("%s: %s, %v\nwant %s, %v", language, got, err, want, wantErr)
			}
		}
	}
}

func kind(err error) runtime.Kind {
	var failure *runtime.Failure
	if errors.As(err, &failure) {
		return failure.Kind
	}
	return ""
}
