package flavortest_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/leat-run/leat/flavors/script"
	"github.com/leat-run/leat/flavors/wasm"
	"github.com/leat-run/leat/runtime"
)

func worker(t *testing.T, flavor runtime.Flavor, file string) *runtime.Worker {
	t.Helper()
	return stageWorker(t, flavor, file, runtime.EntryTransform, runtime.StateReuse)
}

func stageWorker(t *testing.T, flavor runtime.Flavor, file string, entry runtime.Entry, state runtime.State) *runtime.Worker {
	t.Helper()
	code, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	module, err := flavor.Compile(t.Context(), runtime.Code{Name: file, Bytes: code, Entry: entry}, runtime.Settings{
		Budget: flavor.Defaults(), State: state, Integers: "error", ABI: "reactor", Config: []byte("{}"),
	})
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

// Proves that one transform, written in JavaScript and in Go, gives equal bytes on every order
// of the sample, and fails on the same ones.
func TestScriptAndWasmAgree(t *testing.T) {
	orders, err := os.ReadFile("../../testdata/pipelines/orders/orders.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	module := wasm.New(wasm.Options{})
	t.Cleanup(func() { _ = module.Close() })
	ofWasm := worker(t, module, "../../guests/go/score/score.wasm")
	ofScript := worker(t, script.New(script.Options{}), "testdata/score.js")
	compared, failed := 0, 0
	for line := range strings.Lines(string(orders)) {
		line = strings.TrimSuffix(line, "\n")
		if !json.Valid([]byte(line)) {
			continue
		}
		m := runtime.Message{ID: "m", Codec: "json", Payload: []byte(strings.Replace(line, "{", `{"total":1249.5,`, 1))}
		one, oneErr := ofWasm.Apply(t.Context(), m)
		other, otherErr := ofScript.Apply(t.Context(), m)
		if (oneErr == nil) != (otherErr == nil) {
			t.Fatalf("%s: wasm %v, script %v", line, oneErr, otherErr)
		}
		if oneErr != nil {
			failed++
			continue
		}
		if a, b := string(one.Out[0].Payload), string(other.Out[0].Payload); a != b {
			t.Fatalf("wasm   %s\nscript %s", a, b)
		}
		compared++
	}
	if compared != 1198 || failed != 1 {
		t.Errorf("%d compared, %d failed", compared, failed)
	}
}
