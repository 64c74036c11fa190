package flavortest_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/leat-run/leat/flavors/script"
	"github.com/leat-run/leat/flavors/wasm"
	"github.com/leat-run/leat/runtime"
)

// folds and handlers are one guest of a stage each, in every language that has it. The first is the one that
// the others are held to.
var (
	folds = []string{
		"testdata/fulfil.js", "../../guests/go/fulfil/fulfil.wasm", "../../guests/c/fulfil/fulfil.wasm",
		"../../guests/rust/fulfil/fulfil.wasm", "../../guests/assemblyscript/fulfil/fulfil.wasm",
	}
	handlers = []string{
		"testdata/audit.js", "../../guests/c/audit/audit.wasm", "../../guests/rust/audit/audit.wasm", "../../guests/assemblyscript/audit/audit.wasm",
	}
)

// stageWorkers compiles guests as stages do: each record meets the instance as it was at the start.
func stageWorkers(t *testing.T, files []string, entry runtime.Entry) (workers []*runtime.Worker) {
	t.Helper()
	module := wasm.New(wasm.Options{})
	t.Cleanup(func() { _ = module.Close() })
	for i, file := range files {
		var flavor runtime.Flavor = module
		if i == 0 {
			flavor = script.New(script.Options{})
		}
		workers = append(workers, stageWorker(t, flavor, file, entry, runtime.StateFresh))
	}
	return workers
}

// answerOf is a guest's answer to a call as a value, nil where it gave none, or the kind of its failure.
func answerOf(t *testing.T, w *runtime.Worker, call string) (answer any, kind runtime.Kind) {
	t.Helper()
	result, err := w.Apply(t.Context(), runtime.Message{ID: "orders:0:1", Codec: "json", Payload: []byte(call)})
	var failure *runtime.Failure
	switch {
	case errors.As(err, &failure):
		return nil, failure.Kind
	case err != nil:
		t.Fatal(err)
	case len(result.Out) == 0:
		return nil, ""
	}
	if err := json.Unmarshal(result.Out[0].Payload, &answer); err != nil {
		t.Fatalf("%s: %v", result.Out[0].Payload, err)
	}
	return answer, ""
}

// agree gives one call to all of them and returns what the first said of it.
func agree(t *testing.T, files []string, workers []*runtime.Worker, call string) (any, runtime.Kind) {
	t.Helper()
	want, wantKind := answerOf(t, workers[0], call)
	for i, w := range workers[1:] {
		got, kind := answerOf(t, w, call)
		if list, ok := got.([]any); ok && len(list) == 0 {
			got = nil // a handler may say so that it emits nothing
		}
		if !reflect.DeepEqual(got, want) || kind != wantKind {
			t.Fatalf("%s of %s: %v %s, want %v %s", files[i+1], call, got, kind, want, wantKind)
		}
	}
	return want, wantKind
}

// Proves that a fold written in JavaScript, Go, C, Rust and AssemblyScript makes the same states, emissions and
// kinds of failure of the same records, whichever came before them.
func TestFoldsAgree(t *testing.T) {
	workers := stageWorkers(t, folds, runtime.EntryFold)
	keys := []string{`"o-1"`, `"ö\"1\\"`, `"\u003ca\u003e"`, `""`, `"}],"`}
	states := map[string]string{}
	random := rand.New(rand.NewPCG(1, 2))
	shipped, refused := 0, 0
	for offset := range 400 {
		key, topic, value := keys[random.IntN(len(keys))], "payments", fmt.Sprintf(`{"note":"\"total\":1}","amount":%d}`, random.IntN(30))
		if random.IntN(4) == 0 {
			topic, value = "orders", fmt.Sprintf(` { "items" : [ {"total":9} ] , "total" : %d } `, random.IntN(90)-5)
		}
		state := states[key]
		if state == "" {
			state = "null"
		}
		answer, kind := agree(t, folds, workers, fmt.Sprintf(
			`{"state":%s,"msg":{"topic":%q,"partition":0,"offset":%d,"timestamp":1,"key":%s,"value":%s,"headers":{"h":"}"}}}`, state, topic, offset, key, value))
		if kind != "" {
			refused++
			continue
		}
		next, err := json.Marshal(answer.(map[string]any)["state"])
		if err != nil {
			t.Fatal(err)
		}
		if states[key] = string(next); states[key] == "null" {
			shipped++
		}
	}
	t.Logf("%d shipped, %d payments before their orders", shipped, refused)
	if shipped < 20 || refused < 20 {
		t.Errorf("%d shipped, %d refused: the records prove little", shipped, refused)
	}
}

// Proves that of two members with one name the last counts, for those languages whose SDK reads JSON by itself as for
// those that have a parser.
func TestFoldsAgreeOnTwins(t *testing.T) {
	answer, kind := agree(t, folds, stageWorkers(t, folds, runtime.EntryFold),
		`{"state":null,"msg":{"topic":"orders","partition":0,"offset":0,"timestamp":1,"key":"k","value":{"total":1,"total":30},"headers":{}}}`)
	if want := map[string]any{"state": map[string]any{"total": 30., "paid": 0.}}; kind != "" || !reflect.DeepEqual(answer, want) {
		t.Errorf("%v %s", answer, kind)
	}
}

// Proves the same of a handler: emissions with headers, none for a deletion, and a failure.
func TestHandlersAgree(t *testing.T) {
	workers := stageWorkers(t, handlers, runtime.EntryHandle)
	for _, c := range []struct {
		value, headers string
		kind           runtime.Kind
		emits          bool
	}{
		{`{"a":1.50,"n":[{}],"s":"\u00e9 é ]}"}`, `{"h":"v","bytes":{"base64":"/w=="},"none":null}`, "", true},
		{`{}`, `{}`, "", true},
		{`null`, `{}`, "", false},
		{`[1]`, `{}`, runtime.KindGuest, false},
		{`"text"`, `{}`, runtime.KindGuest, false},
	} {
		answer, kind := agree(t, handlers, workers, fmt.Sprintf(
			`{"msg":{"topic":"orders","partition":3,"offset":9007199254,"timestamp":1,"key":null,"value":%s,"headers":%s}}`, c.value, c.headers))
		if kind != c.kind || (answer != nil) != c.emits {
			t.Errorf("%s: %v %s", c.value, answer, kind)
		}
	}
}
