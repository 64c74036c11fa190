package flavortest

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/leat-run/leat/runtime"
)

// Run holds a flavor to the suite, with the guest that does the behaviours.
func Run(t *testing.T, flavor runtime.Flavor, guest runtime.Code) {
	settings := runtime.Settings{
		Budget: Budget(flavor.Defaults()), Integers: "error", ABI: "reactor",
		Config: []byte(`{"constants":{},"parameters":{}}`),
	}
	for _, state := range []runtime.State{runtime.StateReuse, runtime.StateFresh} {
		settings.State = state
		t.Run(string(state), func(t *testing.T) { runState(t, compile(t, flavor, guest, settings), flavor.Name(), state) })
	}
}

func compile(t *testing.T, flavor runtime.Flavor, guest runtime.Code, settings runtime.Settings) runtime.Module {
	t.Helper()
	module, err := flavor.Compile(t.Context(), guest, settings)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := module.Close(); err != nil {
			t.Error(err)
		}
	})
	return module
}

func runState(t *testing.T, module runtime.Module, flavor string, state runtime.State) {
	for _, c := range Cases() {
		if c.Flavors == nil || slices.Contains(c.Flavors, flavor) {
			t.Run(c.Name, func(t *testing.T) { runCase(t, newGuest(t, module), c) })
		}
	}
	t.Run("state", func(t *testing.T) { runCounter(t, newGuest(t, module), state) })
	t.Run("fuel is deterministic", func(t *testing.T) { runFuel(t, module) })
}

// guest is a worker that counts the instances it used up.
type guest struct {
	t        *testing.T
	worker   *runtime.Worker
	replaced int
}

func newGuest(t *testing.T, module runtime.Module) *guest {
	t.Helper()
	g := &guest{t: t}
	worker, err := runtime.NewWorker(t.Context(), module, runtime.Host{}, func(runtime.Recycle) { g.replaced++ })
	if err != nil {
		t.Fatal(err)
	}
	g.worker = worker
	t.Cleanup(func() { _ = worker.Close() })
	return g
}

func (g *guest) apply(payload string) (out []string, usage runtime.Usage, err error) {
	result, err := g.worker.Apply(g.t.Context(), runtime.Message{
		ID: "message-1", Codec: "json", Payload: []byte(payload), Source: "ingest", Ingested: time.UnixMilli(1_700_000_000_000).UTC(),
	})
	for _, m := range result.Out {
		out = append(out, string(m.Payload))
		if m.ID != "message-1" || m.Codec != "json" || m.Source != "ingest" {
			g.t.Errorf("an output lost its origin: %+v", m)
		}
	}
	return out, result.Usage, err
}

func runCase(t *testing.T, g *guest, c Case) {
	out, _, err := g.apply(c.Payload)
	if c.Kinds == nil {
		if err != nil || !reflect.DeepEqual(out, c.Want) {
			t.Errorf("%q, %v\nwant %q", out, err, c.Want)
		}
	} else {
		g.checkFailure(c, out, err)
		if c.Spent && g.replaced == 0 {
			t.Error("the instance was kept")
		}
	}
	if out, _, err := g.apply(fine); err != nil || !reflect.DeepEqual(out, []string{fine}) {
		t.Errorf("the next message: %q, %v", out, err)
	}
}

func (g *guest) checkFailure(c Case, out []string, err error) {
	g.t.Helper()
	var failure *runtime.Failure
	if !errors.As(err, &failure) {
		g.t.Fatalf("%q, %v, want a failure of %v", out, err, c.Kinds)
	}
	if !slices.Contains(c.Kinds, failure.Kind) || !strings.Contains(failure.Message, c.Text) {
		g.t.Errorf("%v, want kind %v with %q", failure, c.Kinds, c.Text)
	}
	if len(out) > 0 {
		g.t.Errorf("a failed message has outputs: %q", out)
	}
	if len(failure.Message) == 0 || len(failure.Message) > runtime.MaxReason {
		g.t.Errorf("a message of %d bytes", len(failure.Message))
	}
}

// runCounter proves what an instance keeps: everything or nothing, and nothing in doubt
// after a failure that leaves its state so.
func runCounter(t *testing.T, g *guest, state runtime.State) {
	var got []string
	for range 3 {
		out, _, err := g.apply(`{"do":"count"}`)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, out...)
	}
	want := []string{`{"count":1}`, `{"count":2}`, `{"count":3}`}
	if state == runtime.StateFresh {
		want = []string{`{"count":1}`, `{"count":1}`, `{"count":1}`}
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if _, _, err := g.apply(`{"do":"loop"}`); err == nil {
		t.Error("the loop ended")
	}
	if out, _, err := g.apply(`{"do":"count"}`); err != nil || !reflect.DeepEqual(out, want[:1]) {
		t.Errorf("after a failure: %q, %v", out, err)
	}
}

// runFuel proves that fuel depends on nothing but the code, the message and the instance's history.
func runFuel(t *testing.T, module runtime.Module) {
	var first []int64
	for range 3 {
		g := newGuest(t, module)
		var fuel []int64
		for _, payload := range []string{fine, `{"do":"count"}`, `{"do":"twice"}`, fine} {
			_, usage, err := g.apply(payload)
			if err != nil || usage.Fuel <= 0 {
				t.Fatalf("%s: fuel %d, %v", payload, usage.Fuel, err)
			}
			fuel = append(fuel, usage.Fuel)
		}
		if first == nil {
			first = fuel
		}
		if !reflect.DeepEqual(fuel, first) {
			t.Errorf("fuel %v, was %v", fuel, first)
		}
	}
}
