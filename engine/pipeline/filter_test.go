package pipeline

import (
	"strings"
	"testing"
	"time"

	"github.com/leat-run/leat/runtime"
)

// TestFilter proves that a filter sees the message and the caller's own values, that a field
// which is not there does not match, and that a mistake has its place.
func TestFilter(t *testing.T) {
	m := runtime.Message{Payload: []byte(`{"total":12,"customer":{"id":"c1"}}`), Codec: "json", Meta: runtime.Meta{"a": "b"}}
	values := map[string]any{"node": "enrich", "attempts": int64(3), "created_at": time.Unix(1_700_000_000, 0).UTC(), "fixed": false}
	for text, want := range map[string]bool{
		`payload.total > 10`:                                    true,
		`payload.total > 10 && letter.node == "enrich"`:         true,
		`letter.attempts >= 3 && !letter.fixed`:                 true,
		`letter.attempts > 3`:                                   false,
		`letter.created_at > timestamp("2020-01-01T00:00:00Z")`: true,
		`meta.a == "b" && payload.customer.id.startsWith("c")`:  true,
		`payload.missing == 1`:                                  false,
	} {
		f, err := CompileFilter(text, "letter")
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if got, err := f.Match(m, values); got != want || (err != nil) != strings.Contains(text, "missing") {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for text, want := range map[string]string{
		`payload.total = 1`: "1:15: ", `leter.node == "x"`: "1:1: undeclared reference", `payload.total + 1.0`: "1:1: ",
	} {
		if _, err := CompileFilter(text, "letter"); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
