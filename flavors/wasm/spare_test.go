package wasm

import (
	"testing"

	"github.com/leat-run/leat/runtime"
)

// TestSpareIsReady proves that a worker whose guest breaks on every message finds a started
// instance each time, made beside its work: it never has to make one itself, unless it is
// quicker than the start. And that closing the module releases the one that nobody took.
func TestSpareIsReady(t *testing.T) {
	m, err := load(t, guest(t, "misbehave"), settings())
	if err != nil {
		t.Fatal(err)
	}
	w, err := runtime.NewWorker(t.Context(), m, runtime.Host{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	spares := m.(*module).spares
	for range 20 {
		spares.making.Wait()
		if spares.mu.ready == nil {
			t.Fatal("no spare is ready")
		}
		if _, err := w.Apply(t.Context(), message("Unreachable")); failed(t, err).Kind != runtime.KindRuntime {
			t.Fatal(err)
		}
		ready := spares.mu.ready
		if got := applied(t, w, "N"); got[0] != "1" {
			t.Errorf("the guest has counted %q calls", got)
		}
		if ready == nil || ready.closed {
			t.Error("the replacement was not the spare")
		}
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	spares.making.Wait()
	last := spares.mu.ready
	if err := m.Close(); err != nil || last == nil || !last.closed {
		t.Errorf("closing left the spare as it was (%v)", err)
	}
}
