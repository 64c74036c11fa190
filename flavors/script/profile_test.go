package script

import (
	"testing"

	"github.com/leat-run/leat/runtime"
)

// TestProfile proves that a profile adds up to the fuel of the messages, also of one that
// fails, that it names the author's functions and lines, and that results and fuel are
// those of an ordinary module.
func TestProfile(t *testing.T) {
	source := `function heavy(n: number) {
  let sum = 0
  for (let i = 0; i < n; i++) {
    sum += i
  }
  return sum
}
const light = (n: number) => n + 1
export default (msg) => {
  if (msg.payload.n < 0) throw new Error('negative')
  return { n: heavy(msg.payload.n) + light(1), text: [3, 1, 2].sort().join() }
}`
	flavor := New(Options{})
	settings := runtime.Settings{Budget: flavor.Defaults(), State: runtime.StateReuse, Integers: "error"}
	code := runtime.Code{Name: "flow.ts", Dir: "/", Bytes: []byte(source)}
	profile := &runtime.FuelProfile{}
	profiled, err := flavor.Profile(t.Context(), code, settings, profile)
	if err != nil {
		t.Fatal(err)
	}
	ordinary, err := flavor.Compile(t.Context(), code, settings)
	if err != nil {
		t.Fatal(err)
	}
	spent := int64(0)
	for _, payload := range []string{`{"n":1000}`, `{"n":10}`, `{"n":-1}`} {
		var fuel [2]int64
		for i, m := range []runtime.Module{profiled, ordinary} {
			w, err := runtime.NewWorker(t.Context(), m, runtime.Host{}, nil)
			if err != nil {
				t.Fatal(err)
			}
			r, _ := apply(w, payload)
			fuel[i] = r.Usage.Fuel
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if fuel[0] != fuel[1] || fuel[0] == 0 {
			t.Errorf("%s: fuel %d with a profile, %d without", payload, fuel[0], fuel[1])
		}
		spent += fuel[0]
	}
	if profile.Total() != spent {
		t.Errorf("the profile has %d units, the messages spent %d", profile.Total(), spent)
	}
	functions := map[string]int64{}
	for _, s := range profile.Samples() {
		functions[s.Stack[0].Function] += s.Fuel
	}
	top := profile.Samples()[0].Stack
	if len(top) != 2 || top[0] != (runtime.Frame{Function: "heavy", File: "flow.ts", Line: 3}) || top[1] != (runtime.Frame{Function: "default", File: "flow.ts", Line: 11}) {
		t.Errorf("most fuel under %+v", top)
	}
	if functions["heavy"] < spent/2 || functions["light"] == 0 || functions["default"] == 0 {
		t.Errorf("%v of %d", functions, spent)
	}
}
