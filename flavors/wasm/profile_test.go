package wasm

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/leat-run/leat/runtime"
)

// profiled runs payloads through a profiled guest and returns the profile and the fuel that
// the messages said they used.
func profiled(t *testing.T, name string, s runtime.Settings, payloads ...string) (*runtime.FuelProfile, int64) {
	t.Helper()
	var into runtime.FuelProfile
	m, err := newFlavor(t, Options{}).Profile(t.Context(), runtime.Code{Name: "guest.wasm", Bytes: guest(t, name)}, s, &into)
	if err != nil {
		t.Fatal(err)
	}
	w, err := runtime.NewWorker(t.Context(), m, runtime.Host{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := load(t, guest(t, name), s)
	if err != nil {
		t.Fatal(err)
	}
	reference, err := runtime.NewWorker(t.Context(), plain, runtime.Host{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	fuel := int64(0)
	for _, payload := range payloads {
		result, got := w.Apply(t.Context(), message(payload))
		want, wantErr := reference.Apply(t.Context(), message(payload))
		apart := result.Usage.Fuel - want.Usage.Fuel
		if errors.Is(got, &runtime.Failure{Kind: runtime.KindFuel}) && max(apart, -apart) < 100 {
			apart = 0
		}
		if apart != 0 || (got == nil) != (wantErr == nil) {
			t.Errorf("%.10q: %d units, %v; without a profile %d, %v", payload, result.Usage.Fuel, got, want.Usage.Fuel, wantErr)
		}
		fuel += result.Usage.Fuel
	}
	if err := errors.Join(w.Close(), m.Close(), reference.Close(), plain.Close()); err != nil {
		t.Error(err)
	}
	return &into, fuel
}

// TestProfileAddsUp proves that a profile names the guest's functions by the paths that led
// to them, that its fuel is all of what the messages used, no more and no less, in success and in
// failure, with either state, and for commands; and that results and fuel are those without it.
func TestProfileAddsUp(t *testing.T) {
	fresh, asCommand, little := settings(), settings(), settings()
	fresh.State, asCommand.ABI, little.Budget.Fuel = runtime.StateFresh, abiCommand, 2_000_000
	text := strings.Repeat("the quick brown fox ", 50)
	for _, c := range []struct {
		guest    string
		settings runtime.Settings
		payloads []string
		path     string // of the most expensive sample, outermost last
	}{
		{filepath.Join("words", "c"), settings(), []string{text, "=same", text}, ""},
		{filepath.Join("words", "rust"), fresh, []string{text, text}, ""},
		{filepath.Join("words", "assemblyscript"), settings(), []string{text}, ""},
		{"echo", asCommand, []string{"line\n", "x"}, "_start"},
		{"misbehave", little, []string{"Loop"}, "spin < transform"},
		{"misbehave", little, []string{"N", "Dive", "N"}, ""},
		{"misbehave", little, []string{"Unreachable", "Keep logging"}, "transform"},
		{"misbehave", little, []string{"Tree"}, ""},
	} {
		p, fuel := profiled(t, c.guest, c.settings, c.payloads...)
		samples := p.Samples()
		if len(samples) == 0 || p.Total() != fuel {
			t.Fatalf("%s %q: %d units in %d samples, the messages used %d", c.guest, c.payloads[0], p.Total(), len(samples), fuel)
		}
		var path []string
		for _, f := range samples[0].Stack {
			path = append(path, f.Function)
		}
		if got := strings.Join(path, " < "); c.path != "" && got != c.path {
			t.Errorf("%s %q: most fuel in %s", c.guest, c.payloads[0], got)
		}
		for _, s := range samples {
			if s.Fuel < 0 {
				t.Errorf("%s: %+v", c.guest, s)
			}
		}
	}
}

// TestProfileLeavesTheMeterOut proves that a function which is entered again to be given
// more fuel, in the middle of its recursion, is one frame and not two.
func TestProfileLeavesTheMeterOut(t *testing.T) {
	s := settings()
	s.Budget.Fuel = 5_000_000
	p, _ := profiled(t, "misbehave", s, "Tree")
	for _, sample := range p.Samples() {
		for n, f := range sample.Stack {
			if f.Function == "leat_alloc" {
				continue
			}
			if want := n == len(sample.Stack)-1; (f.Function == "transform") != want || !want && f.Function != "tree" {
				t.Fatalf("frame %d of %+v", n, sample.Stack)
			}
		}
		if len(sample.Stack) > 62 {
			t.Errorf("%d frames, and the guest went 61 deep", len(sample.Stack))
		}
	}
}
