package wasm

import (
	"errors"
	"slices"
	"testing"

	"github.com/leat-run/leat/runtime"
)

// TestFreshStateIsInitial proves that under state: fresh the thousandth message meets what
// the first one met (bytes, globals, the memory's size, and so the same fuel), whether the
// image is copied, mapped, or the module has none, and also after a message that grew the
// memory; and that state: reuse keeps what the guest wrote.
func TestFreshStateIsInitial(t *testing.T) {
	for guestName, pages := range map[string]string{"statecopied": "1", "statemapped": "6", "statehidden": "1"} {
		t.Run(guestName, func(t *testing.T) {
			s := settings()
			s.State = runtime.StateFresh
			w := worker(t, guestName, s, runtime.Host{})
			first, err := w.Apply(t.Context(), message("x"))
			if err != nil || !slices.Equal(payloads(first), []string{"111" + pages}) {
				t.Fatalf("%q %v", payloads(first), err)
			}
			for n := range 1000 {
				if n%100 == 50 {
					applied(t, w, "Grow")
				}
				again, err := w.Apply(t.Context(), message("x"))
				if err != nil || !slices.Equal(payloads(again), payloads(first)) || again.Usage.Fuel != first.Usage.Fuel || again.Usage.Memory != first.Usage.Memory {
					t.Fatalf("message %d: %q, %+v, not %+v (%v)", n, payloads(again), again.Usage, first.Usage, err)
				}
			}
		})
	}
	w := worker(t, "statecopied", settings(), runtime.Host{})
	applied(t, w, "x")
	if got := applied(t, w, "x"); !slices.Equal(got, []string{"2221"}) {
		t.Errorf("state: reuse forgot: %q", got)
	}
}

// TestFreshReportsItsRecycles proves that under state: fresh an instance that a failure spent is reported as
// replaced, as under state: reuse, and that a success reports nothing.
func TestFreshReportsItsRecycles(t *testing.T) {
	for _, state := range []runtime.State{runtime.StateReuse, runtime.StateFresh} {
		s := settings()
		s.State, s.Budget.Fuel = state, 1_000_000
		m, err := load(t, guest(t, "misbehave"), s)
		if err != nil {
			t.Fatal(err)
		}
		var recycled []runtime.Recycle
		w, err := runtime.NewWorker(t.Context(), m, runtime.Host{}, func(r runtime.Recycle) { recycled = append(recycled, r) })
		if err != nil {
			t.Fatal(err)
		}
		applied(t, w, "N")
		for _, payload := range []string{"Unreachable", "Loop"} {
			if _, err := w.Apply(t.Context(), message(payload)); err == nil {
				t.Errorf("%s ended well", payload)
			}
			applied(t, w, "N")
		}
		if !slices.Equal(recycled, []runtime.Recycle{runtime.RecycleFailure, runtime.RecycleFailure}) {
			t.Errorf("%s: recycled for %q", state, recycled)
		}
		if err := errors.Join(w.Close(), m.Close()); err != nil {
			t.Error(err)
		}
	}
}

// TestImageIsWhatStartLeft proves that an instance made from the image, as every one after
// the first is, cannot be told from one that ran _initialize.
func TestImageIsWhatStartLeft(t *testing.T) {
	m, err := load(t, guest(t, "statemapped"), settings())
	if err != nil {
		t.Fatal(err)
	}
	var results []runtime.Result
	for range 3 {
		i, err := m.Instantiate(t.Context(), runtime.Host{})
		if err != nil {
			t.Fatal(err)
		}
		result, err := i.Apply(t.Context(), message("x"))
		if err != nil {
			t.Fatal(err)
		}
		result.Usage.Duration = 0
		results = append(results, result)
		if err := i.Close(); err != nil {
			t.Error(err)
		}
	}
	for _, r := range results[1:] {
		if !slices.Equal(payloads(r), payloads(results[0])) || r.Usage != results[0].Usage {
			t.Errorf("%q %+v, the first was %q %+v", payloads(r), r.Usage, payloads(results[0]), results[0].Usage)
		}
	}
	if err := m.Close(); err != nil {
		t.Error(err)
	}
}
