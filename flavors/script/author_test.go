package script

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/leat-run/leat/runtime"
)

// TestFailureShowsAuthorsSource proves that a failure points into the TypeScript that the
// author wrote, through bundling, ticks and the document's line of inline source.
func TestFailureShowsAuthorsSource(t *testing.T) {
	source := "interface Order { n: number }\n\nexport default function check(msg: { payload: Order }) {\n  const n: number = msg.payload.n\n  throw new RangeError(`bad ${n}`)\n}\n"
	f := New(Options{})
	settings := runtime.Settings{Budget: f.Defaults(), State: runtime.StateReuse, Integers: "error"}
	for line, want := range map[int]int{0: 5, 11: 15} {
		m, err := f.Compile(context.Background(), runtime.Code{Name: "doc.yaml", Dir: "/", Bytes: []byte(source), Line: line}, settings)
		if err != nil {
			t.Fatal(err)
		}
		w, err := runtime.NewWorker(context.Background(), m, runtime.Host{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		_, err = apply(w, `{"n":7}`)
		w.Close()
		var failure *runtime.Failure
		if !errors.As(err, &failure) {
			t.Fatal(err)
		}
		excerpt := "  throw new RangeError(`bad ${n}`)\n        ^"
		if failure.File != "doc.yaml" || failure.Line != want || failure.Column != 9 || failure.Message != "RangeError: bad 7" || failure.Excerpt != excerpt {
			t.Errorf("inline line %d: %s\n%s\n%s", line, failure, failure.Excerpt, failure.Backtrace)
		}
	}
}

// TestLoadFailures proves that what cannot be loaded is named with its place.
func TestLoadFailures(t *testing.T) {
	for name, c := range map[string]struct{ source, message, place string }{
		"syntax":      {"export default (msg) => {\n  return msg +\n}", "Unexpected", "t.ts:3:1"},
		"no entry":    {"const x = 1", "no transform", "t.ts"},
		"module":      {"import x from 'nowhere'\nexport default () => x", "Could not resolve", "t.ts:1:15"},
		"yield*":      {"function* g() {\n  yield* [1]\n}\nexport default () => [...g()]", "yield*", "t.ts:2:3"},
		"BigInt":      {"export default () => 1n", "BigInt", "t.ts:1:22"},
		"body throws": {"throw new Error('no')\nexport default (msg) => msg", "module's body", "t.ts:1:7"},
		"deep":        {"export default () => " + strings.Repeat("(", 100_000), "nest", "t.ts:1:"},
		"long":        {"export default () => 0" + strings.Repeat("+1", 100_000), "operators", "t.ts:1:"},
		"not UTF-8":   {"export default () =>\n `\xe4`", "not UTF-8", "t.ts:2:3"},
		"map comment": {"//# sourceMappingURL=/dev/zero\nexport default () => {", "Unexpected end", "t.ts:2:"},
	} {
		_, err := tryLoad(c.source)
		var f *runtime.Failure
		if !errors.As(err, &f) || f.Kind != runtime.KindCompile {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !strings.Contains(f.Message, c.message) || !strings.HasPrefix(f.Place(), c.place) {
			t.Errorf("%s: %s (%s)", name, f.Message, f.Place())
		}
	}
}

// TestPackages proves that a file's imports and npm packages are bundled from beside it.
func TestPackages(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("node_modules/twice/package.json", `{"main":"index.js"}`)
	write("node_modules/twice/index.js", `module.exports = function twice(n) { return n * 2 }`)
	write("lib/add.ts", "export const add = (a: number, b: number): number => a + b\nexport function fail() {\n  throw new Error('deep')\n}")
	main := "import twice from 'twice'\nimport { add, fail } from './lib/add'\nexport default (msg: any) => {\n  if (msg.payload.fail) fail()\n  return { n: add(twice(msg.payload.n), 1) }\n}"
	f := New(Options{})
	m, err := f.Compile(context.Background(), runtime.Code{Name: "main.ts", Path: filepath.Join(dir, "main.ts"), Dir: dir, Bytes: []byte(main)},
		runtime.Settings{Budget: f.Defaults(), State: runtime.StateFresh, Integers: "error"})
	if err != nil {
		t.Fatal(err)
	}
	w, err := runtime.NewWorker(context.Background(), m, runtime.Host{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if r, err := apply(w, `{"n":20}`); err != nil || string(r.Out[0].Payload) != `{"n":41}` {
		t.Fatal(r, err)
	}
	_, err = apply(w, `{"fail":true}`)
	var failure *runtime.Failure
	excerpt, trace := "  throw new Error('deep')\n        ^", "fail (lib/add.ts:3:9)\ndefault (main.ts:4:30)"
	if !errors.As(err, &failure) || failure.Place() != "lib/add.ts:3:9" || failure.Excerpt != excerpt || failure.Backtrace != trace {
		t.Fatalf("%v: %s", err, failure.Backtrace)
	}
}

// TestPlacesInImports proves that a failure names the very file, where others end in the same
// name and where a name is none of a URL's.
func TestPlacesInImports(t *testing.T) {
	dir := t.TempDir()
	names := []string{"lib/u.ts", "job/lib/u.ts", "job/b.lib/u.ts", "job/my lib/ü 50%.ts", "job/a#b?.ts"}
	main := "import * as all from './all'\nexport default (msg: any) => all['f' + msg.payload.n]()"
	index := ""
	for i, name := range names {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, fmt.Appendf(nil, "export function f() {\n  throw new Error('x')\n}\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		relative, err := filepath.Rel(filepath.Join(dir, "job"), path)
		if err != nil {
			t.Fatal(err)
		}
		index += fmt.Sprintf("export { f as f%d } from './%s'\n", i, filepath.ToSlash(relative))
	}
	if err := os.WriteFile(filepath.Join(dir, "job", "all.ts"), []byte(index), 0o644); err != nil {
		t.Fatal(err)
	}
	f := New(Options{})
	m, err := f.Compile(t.Context(), runtime.Code{Name: "job/main.ts", Path: filepath.Join(dir, "job", "main.ts"), Dir: dir, Bytes: []byte(main)},
		runtime.Settings{Budget: f.Defaults(), State: runtime.StateReuse, Integers: "error"})
	if err != nil {
		t.Fatal(err)
	}
	w, err := runtime.NewWorker(t.Context(), m, runtime.Host{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for i, name := range names {
		_, err := apply(w, fmt.Sprintf(`{"n":%d}`, i))
		var failure *runtime.Failure
		if !errors.As(err, &failure) || failure.Place() != name+":2:9" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestStates proves what each state keeps, and that fuel under fresh is a function of
// the message alone.
func TestStates(t *testing.T) {
	source := `let n = 0; export default () => { n++; return {n} }`
	for state, want := range map[runtime.State]string{runtime.StateReuse: `{"n":1}{"n":2}{"n":3}`, runtime.StateFresh: `{"n":1}{"n":1}{"n":1}`} {
		w := load(t, source, func(s *runtime.Settings) { s.State = state })
		got, fuel := "", map[int64]bool{}
		for range 3 {
			r, err := apply(w, `{}`)
			if err != nil {
				t.Fatal(err)
			}
			got += string(r.Out[0].Payload)
			fuel[r.Usage.Fuel] = true
		}
		if got != want || len(fuel) != 1 {
			t.Errorf("%s: %s, fuel %v", state, got, fuel)
		}
	}
}

// TestFreshMetersTheBodyApart proves that a message's fuel and memory are the same under both states,
// that a budget which is enough under one is enough under the other, and that the body has a
// bound of its own under which it fails the message.
func TestFreshMetersTheBodyApart(t *testing.T) {
	heavy := `const table = []; for (let i = 0; i < 2000; i++) table.push('entry ' + i)
		export default (msg) => ({ n: table.length, a: msg.payload.a })`
	usage := map[runtime.State]runtime.Usage{}
	for _, state := range []runtime.State{runtime.StateReuse, runtime.StateFresh} {
		w := load(t, heavy, func(s *runtime.Settings) { s.State = state })
		r, err := apply(w, `{"a":1}`)
		if err != nil {
			t.Fatal(err)
		}
		r.Usage.Duration = 0
		usage[state] = r.Usage
	}
	reuse, fresh := usage[runtime.StateReuse], usage[runtime.StateFresh]
	if reuse != fresh || fresh.Fuel == 0 || fresh.Fuel > 1000 {
		t.Errorf("reuse %+v, fresh %+v", reuse, fresh)
	}
	w := load(t, heavy, func(s *runtime.Settings) { s.State, s.Budget.Fuel = runtime.StateFresh, reuse.Fuel })
	for range 2 {
		if r, err := apply(w, `{"a":1}`); err != nil || r.Usage.Fuel != reuse.Fuel {
			t.Errorf("with the fuel that reuse needs: %+v, %v", r.Usage, err)
		}
	}
	w = load(t, `if (Date.now() > 0) for (;;); export default (msg) => msg`, func(s *runtime.Settings) { s.State, s.Budget.Fuel = runtime.StateFresh, 1000 })
	_, err := w.Apply(t.Context(), runtime.Message{ID: "m", Codec: "json", Payload: []byte(`{}`), Ingested: time.Unix(1, 0)})
	var f *runtime.Failure
	if !errors.As(err, &f) || f.Kind != runtime.KindFuel && f.Kind != runtime.KindTimeout || !strings.HasPrefix(f.Message, "the module's body failed: ") || f.Kind == runtime.KindFuel && f.Limit != startFuel {
		t.Errorf("a body without end: %+v", f)
	}
}

// TestCompileEndsWithItsContext proves that a module's body does not outlive the load that it
// runs for.
func TestCompileEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	f := New(Options{})
	settings := runtime.Settings{Budget: f.Defaults(), State: runtime.StateReuse}
	settings.Budget.Fuel, settings.Budget.Timeout = 1<<40, time.Hour
	_, err := f.Compile(ctx, runtime.Code{Name: "t.ts", Dir: "/", Bytes: []byte(`for (;;); export default (msg) => msg`)}, settings)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}

// TestStackIsBounded proves that no budget lets calls nest so deep that a recursion through
// natives could not be ended, and that the author is told.
func TestStackIsBounded(t *testing.T) {
	f := New(Options{})
	settings := runtime.Settings{Budget: f.Defaults(), State: runtime.StateReuse}
	settings.Budget.Stack, settings.Budget.Timeout = 1_000_000, time.Minute
	m, err := f.Compile(t.Context(), runtime.Code{Name: "t.ts", Dir: "/", Bytes: []byte(
		`const f = () => [1].forEach(f); export default (msg) => { f(); return msg }`)}, settings)
	if err != nil {
		t.Fatal(err)
	}
	if w := m.Warnings(); len(w) != 1 || w[0].Code != "stack-bound" {
		t.Errorf("warnings %+v", w)
	}
	w, err := runtime.NewWorker(t.Context(), m, runtime.Host{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	_, err = apply(w, `{}`)
	var failure *runtime.Failure
	if !errors.As(err, &failure) || failure.Kind != runtime.KindStack || failure.Limit != maxStack {
		t.Error(err)
	}
}

// TestModuleStateWarning proves that verify can name a module variable that is assigned.
func TestModuleStateWarning(t *testing.T) {
	f := New(Options{})
	settings := runtime.Settings{Budget: f.Defaults(), State: runtime.StateReuse, Integers: "error"}
	m, err := f.Compile(context.Background(), runtime.Code{Name: "t.ts", Dir: "/", Bytes: []byte("const fine = 1\nlet count = 0\nexport default (msg) => { count++; return msg }")}, settings)
	if err != nil {
		t.Fatal(err)
	}
	if w := m.Warnings(); len(w) != 1 || w[0].Code != "module-state" || w[0].Line != 2 || !strings.Contains(w[0].Message, "count") {
		t.Errorf("%+v", w)
	}
}
