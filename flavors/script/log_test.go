package script

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/leat-run/leat/runtime"
)

// TestLogIsBounded proves that a script logs no more lines than its budget has bytes, and that a
// failure carries the last of them.
func TestLogIsBounded(t *testing.T) {
	f := New(Options{})
	settings := runtime.Settings{Budget: f.Defaults(), State: runtime.StateReuse}
	settings.Budget.Log = 1000
	m, err := f.Compile(t.Context(), runtime.Code{Name: "t.ts", Dir: "/", Bytes: []byte(
		`export default (msg) => { for (let i = 0; i < 5000; i++) console.log(''); return msg }`)}, settings)
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	w, err := runtime.NewWorker(t.Context(), m, runtime.Host{Log: func(_, text string) { said = append(said, text) }}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if _, err := w.Apply(context.Background(), runtime.Message{Codec: "json", Payload: []byte(`{}`)}); err != nil {
		t.Fatal(err)
	}
	if n := len(said); n != 1002 || !strings.HasSuffix(said[n-1], "[cut]") {
		t.Errorf("%d lines, the last %q", n, said[n-1])
	}
}

// TestLogTail proves that a failure carries the end of a long log, not its beginning.
func TestLogTail(t *testing.T) {
	w := load(t, `export default () => { for (let i = 0; i < 12; i++) console.log('é'.repeat(500) + i); throw new Error('x') }`)
	_, err := apply(w, `{}`)
	var failure *runtime.Failure
	if !errors.As(err, &failure) || !strings.HasSuffix(failure.Log, "é11") || len(failure.Log) > runtime.MaxReason {
		t.Errorf("%v, log of %d bytes: …%s", err, len(failure.Log), failure.Log[max(0, len(failure.Log)-20):])
	}
}
