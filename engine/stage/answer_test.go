package stage

import (
	"bytes"
	"strings"
	"testing"

	"github.com/leat-run/leat/engine/causal"
	"github.com/leat-run/leat/engine/codec"
	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/runtime"
)

// FuzzReadAnswer proves that nothing which a guest returns makes the reader of answers panic, that it
// is an answer within the document or a failure of kind output, and that every record of
// an answer is one that its topic's encoder wrote.
func FuzzReadAnswer(f *testing.F) {
	for _, seed := range []string{
		`{"state":{"n":1},"emit":[{"to":"sums","value":[1.50]},{"to":"bytes","key":"k","value":{"base64":"AP8="},"headers":{"a":"x","b":null}}]}`, `{"state":null}`, `null`, `[]`, ` [{"to":"sums","value":null}]`,
		`{"to":"bytes","value":"x","key":null}`, `{"emit":[1]}`, `{"state":1,"emit":[{"to":null}]}`, `{"state":1,"emit":[{"to":"sums","value":1,"headers":{"leat-clock":"x"}}]}`, `{"state":"\xff"}`, `[{},{},{},{}]`, `{"state":1,"state":2}`, `{`,
	} {
		f.Add([]byte(seed), true)
		f.Add([]byte(seed), false)
	}
	outputs := []pipeline.StageOutput{{Topic: "sums", Encoder: codec.NameJSON}, {Topic: "bytes", Encoder: codec.NameRaw}}
	f.Fuzz(func(t *testing.T, payload []byte, fold bool) {
		plan := &pipeline.Stage{Entry: runtime.EntryHandle, Outputs: outputs, Settings: runtime.Settings{Budget: runtime.Budget{Outputs: 3}}}
		if fold {
			plan.Entry = runtime.EntryFold
		}
		answer, failure := ReadAnswer(plan, []byte("k"), runtime.Result{Out: []runtime.Message{{Codec: codec.NameJSON, Payload: payload}}})
		if failure != nil {
			if failure.Kind != runtime.KindOutput || !failure.Deterministic || failure.Message == "" {
				t.Fatalf("%q: %+v", payload, failure)
			}
			return
		}
		if answer.State != nil && !fold || len(answer.Emit) > 3 {
			t.Fatalf("%q: %+v", payload, answer)
		}
		for _, e := range answer.Emit {
			checkEmission(t, e)
		}
	})
}

func checkEmission(t *testing.T, e Emission) {
	t.Helper()
	if e.Topic != "sums" && e.Topic != "bytes" {
		t.Fatalf("%+v", e)
	}
	if value, err := (codec.JSON{}).Decode(e.Value); e.Topic == "sums" && e.Value != nil && (err != nil || !bytes.Equal(value, e.Value) || bytes.ContainsAny(value, "\r\n")) {
		t.Fatalf("%q, %v", e.Value, err)
	}
	for i, h := range e.Headers {
		if h.Name == causal.HeaderClock || i > 0 && strings.Compare(e.Headers[i-1].Name, h.Name) >= 0 {
			t.Fatalf("%+v", e.Headers)
		}
	}
}
