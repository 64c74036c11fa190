package wasm

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/leat-run/leat/runtime"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// guest reads a module that testdata/build.sh assembled.
func guest(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name+".wasm"))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func newFlavor(t testing.TB, options Options) *Flavor {
	t.Helper()
	f := New(options)
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}

// settings are a node's defaults, but for a timeout that a busy machine does not meet.
func settings() runtime.Settings {
	budget := New(Options{}).Defaults()
	budget.Timeout = time.Hour
	return runtime.Settings{Budget: budget, State: runtime.StateReuse, ABI: abiReactor, Config: []byte(`{"constants":{},"parameters":{}}`)}
}

func load(t testing.TB, bytes []byte, s runtime.Settings) (runtime.Module, error) {
	t.Helper()
	return newFlavor(t, Options{}).Compile(t.Context(), runtime.Code{Name: "guest.wasm", Bytes: bytes}, s)
}

// worker loads a guest and runs it as the engine does.
func worker(t testing.TB, name string, s runtime.Settings, host runtime.Host) *runtime.Worker {
	t.Helper()
	m, err := load(t, guest(t, name), s)
	if err != nil {
		t.Fatal(err)
	}
	w, err := runtime.NewWorker(t.Context(), m, host, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(w.Close(), m.Close()); err != nil {
			t.Error(err)
		}
	})
	return w
}

func message(payload string) runtime.Message {
	return runtime.Message{
		ID: "m1", Payload: []byte(payload), Codec: "raw", Source: "in",
		Ingested: time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC),
	}
}

// failed asserts that err is a failure and returns it.
func failed(t testing.TB, err error) *runtime.Failure {
	t.Helper()
	var failure *runtime.Failure
	if !errors.As(err, &failure) {
		t.Fatalf("want a failure, got %v", err)
	}
	return failure
}

func payloads(result runtime.Result) []string {
	var out []string
	for _, m := range result.Out {
		out = append(out, string(m.Payload))
	}
	return out
}

func applied(t testing.TB, w *runtime.Worker, payload string) []string {
	t.Helper()
	result, err := w.Apply(context.Background(), message(payload))
	if err != nil {
		t.Fatalf("%q: %v", payload, err)
	}
	return payloads(result)
}
