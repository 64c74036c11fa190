package wasm

import (
	"errors"
	"strings"
	"testing"

	"github.com/leat-run/leat/runtime"
)

// TestGoGuestStaysFlat proves that a Go guest which allocates on every message (a map, a
// slice, strings) lives on one instance for a million of them, 50,000 with -short, in the
// memory that it had after the first few: its collector runs, since its clock moves.
func TestGoGuestStaysFlat(t *testing.T) {
	module, err := goWords()
	if err != nil {
		t.Fatal(err)
	}
	m, err := load(t, module, settings())
	if err != nil {
		t.Fatal(err)
	}
	replaced := 0
	w, err := runtime.NewWorker(t.Context(), m, runtime.Host{}, func(runtime.Recycle) { replaced++ })
	if err != nil {
		t.Fatal(err)
	}
	calls, warm := 1_000_000, 20_000
	if testing.Short() {
		calls = 50_000
	}
	in := message(strings.Repeat("the quick brown fox ", 15))
	first, last := int64(0), int64(0)
	for n := range calls {
		result, err := w.Apply(t.Context(), in)
		if err != nil {
			t.Fatalf("message %d: %v", n, err)
		}
		if last = result.Usage.Memory; n == warm {
			first = last
		}
	}
	if last > first+first/4 || replaced > 0 {
		t.Errorf("memory %d after %d messages, %d after %d; the instance was replaced %d times", first, warm, last, calls, replaced)
	}
	t.Logf("%d messages: %d bytes, after %d: %d", calls, last, warm, first)
	if err := errors.Join(w.Close(), m.Close()); err != nil {
		t.Error(err)
	}
}
