//go:build linux

package flavortest_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/leat-run/leat/flavors/process"
	"github.com/leat-run/leat/flavors/script"
	"github.com/leat-run/leat/runtime"
)

// hostileDir holds the scripts that attack their process, each with the kind in which it ends
// (flavors/script says how they are written).
const hostileDir = "../script/testdata/hostile"

// hostileKinds are those in which a script may end beside its own: a child's limits are the
// kernel's, and may be met before the flavor's, also while the code is loaded.
var hostileKinds = []string{string(runtime.KindCompile), string(runtime.KindFuel), string(runtime.KindMemory), string(runtime.KindTimeout), string(runtime.KindStack)}

// Proves that nothing escapes a child process: every hostile script ends as a value or a typed
// failure within twice its limit, none of them ends the child in a way that nobody expects, and
// the next message is fine.
func TestHostileIsolated(t *testing.T) {
	if testing.Short() {
		t.Skip("a child process per script")
	}
	paths, err := filepath.Glob(hostileDir + "/*.js")
	if len(paths) == 0 {
		t.Skip("the list is not there yet")
	}
	if err != nil || len(paths) < 224 {
		t.Fatalf("only %d scripts: %v", len(paths), err)
	}
	const shards = 2
	for shard := range shards {
		t.Run(strconv.Itoa(shard), func(t *testing.T) {
			t.Parallel()
			flavor := process.New(script.New(script.Options{}), process.Options{})
			for i := shard; i < len(paths); i += shards {
				hostile(t, flavor, paths[i])
			}
		})
	}
}

// headerOf returns the value of a line `// name: value` of a script.
func headerOf(source, name string) string {
	for line := range strings.Lines(source) {
		if value, ok := strings.CutPrefix(line, "// "+name+": "); ok {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

func hostile(t *testing.T, flavor runtime.Flavor, path string) {
	name := filepath.Base(path)
	source, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	settings := runtime.Settings{
		Budget: flavor.Defaults(), State: runtime.StateReuse, Integers: "error", Config: []byte("{}"),
		Allow: strings.Fields(headerOf(string(source), "allow")),
	}
	want := strings.Fields(headerOf(string(source), "kind"))
	settings.Budget.Fuel, settings.Budget.Timeout = 3_000_000, 2*time.Second
	if slices.Contains(want, string(runtime.KindTimeout)) {
		settings.Budget.Timeout = 300 * time.Millisecond
	}
	module, err := flavor.Compile(t.Context(), runtime.Code{Name: name, Bytes: source}, settings)
	if err != nil {
		checkHostile(t, name, want, err)
		return
	}
	defer func() { _ = module.Close() }()
	w, err := runtime.NewWorker(t.Context(), module, runtime.Host{}, nil)
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	defer func() { _ = w.Close() }()
	began := time.Now()
	result, err := w.Apply(t.Context(), runtime.Message{ID: "m", Codec: "json", Payload: []byte(`{"a":[1,2,3]}`)})
	checkHostile(t, name, want, err)
	t.Logf("%s: %v after %v", name, err, time.Since(began).Round(time.Millisecond))
	fine := `{"ok":true}`
	result, err = w.Apply(t.Context(), runtime.Message{ID: "m", Codec: "json", Payload: []byte(fine)})
	if err != nil || len(result.Out) != 1 || string(result.Out[0].Payload) != fine {
		t.Errorf("%s: the next message: %+v %v", name, result, err)
	}
}

func checkHostile(t *testing.T, name string, want []string, err error) {
	t.Helper()
	got := "value"
	var failure *runtime.Failure
	if errors.As(err, &failure) {
		got = string(failure.Kind)
	} else if err != nil {
		t.Errorf("%s: no failure of the guest: %v", name, err)
		return
	}
	if !slices.Contains(want, got) && !slices.Contains(hostileKinds, got) {
		t.Errorf("%s: %s, want %v: %v", name, got, want, err)
	}
}
