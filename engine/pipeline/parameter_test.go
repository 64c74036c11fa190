package pipeline

import (
	"context"
	"reflect"
	"testing"
)

// TestParameters proves that a given parameter is what a document could hold and of the default's type, or
// is refused: a NaN, say, has no form in what guests are told.
func TestParameters(t *testing.T) {
	const text = `apiVersion: leat/v1
kind: Pipeline
metadata: {name: p}
parameters: {whole: 1, part: 1.5, flag: true, text: a, list: [1], object: {a: 1}}
sources: {in: {stdin: {}}}
transforms: {t: {from: [in], script: {source: x}}}
sinks: {out: {from: [t], drop: {}}}
`
	for _, one := range []struct {
		name, given string
		want        any // nil: refused
	}{
		{"whole", "9007199254740993", int64(9007199254740993)}, {"whole", "1.5", nil}, {"whole", "9223372036854775808", nil},
		{"part", "2", 2.0}, {"part", "NaN", nil}, {"part", "-Inf", nil}, {"part", "1e999", nil},
		{"flag", "false", false}, {"flag", "yes", nil}, {"text", "", ""}, {"text", "NaN", "NaN"},
		{"list", `[9007199254740993, 1.0, [2]]`, []any{int64(9007199254740993), 1.0, []any{int64(2)}}},
		{"list", `{"a": 1}`, nil}, {"list", "null", nil}, {"list", "[1] [2]", nil}, {"list", "[1e999]", nil}, {"list", "[9223372036854775808]", nil},
		{"object", `{"a": {"b": 2}}`, map[string]any{"a": map[string]any{"b": int64(2)}}}, {"object", "[1]", nil}, {"object", "{", nil},
	} {
		opt := testOptions(nil)
		opt.Parameters = map[string]string{one.name: one.given}
		plan, diagnostics := Parse(context.Background(), "p.yaml", []byte(text), opt)
		switch {
		case one.want == nil && (plan != nil || len(diagnostics) == 0 || diagnostics[len(diagnostics)-1].Code != "bad-parameter"):
			t.Errorf("%s=%s: %v, want it refused", one.name, one.given, diagnostics)
		case one.want != nil && plan == nil:
			t.Errorf("%s=%s: %v", one.name, one.given, diagnostics)
		case one.want != nil && !reflect.DeepEqual(plan.Parameters[one.name], one.want):
			t.Errorf("%s=%s is %#v, want %#v", one.name, one.given, plan.Parameters[one.name], one.want)
		}
		if plan != nil {
			if err := plan.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}
