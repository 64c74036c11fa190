package suite

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"go.uber.org/goleak"

	"github.com/leat-run/leat/engine/endpoint"
	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/engine/pipeline/document"
	"github.com/leat-run/leat/engine/pipeline/document/schematest"
	"github.com/leat-run/leat/flavors/script"
	"github.com/leat-run/leat/runtime"
)

func TestMain(m *testing.M) {
	script.New(script.Options{}) // it pins the process's time zone: before any goroutine looks at a clock
	goleak.VerifyTestMain(m)
}

// scripts is made before any goroutine: it pins the process's time zone.
var scripts = script.New(script.Options{})

func testOptions() Options {
	return Options{
		Codecs: endpoint.Endpoints().Codecs,
		Load: pipeline.LoadOptions{Catalog: pipeline.Catalog{
			Flavors: map[string]runtime.Flavor{"script": scripts},
			Sources: endpoint.Sources(), Sinks: endpoint.Sinks(), Codecs: []string{"json", "raw"},
		}},
	}
}

const header = "apiVersion: leat/v1\nkind: Suite\nmetadata: {name: orders}\n"

// parseText reads a suite that stands in dir.
func parseText(dir, text string) (*Suite, []document.Diagnostic) {
	file := filepath.Join(dir, "orders.test.yaml")
	absolute, err := filepath.Abs(dir)
	if err != nil {
		panic(err)
	}
	return parse(file, absolute, []byte(text), nil, document.NewReport("orders.test.yaml"))
}

// TestCases proves what suites mean: every file in testdata/cases holds suites against
// testdata/orders.yaml, and below each what became of it. It runs each twice and
// compares: invariant 2.
func TestCases(t *testing.T) {
	schema := schemaOf(t)
	datadriven.Walk(t, "testdata/cases", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			text := header + d.Input
			got := runText(t, text)
			if again := runText(t, text); again != got {
				t.Errorf("%s: the second run differs:\n%s\n%s", d.Pos, got, again)
			}
			if s, _ := parseText("testdata", text); s != nil {
				if problem := schematest.Check(schema, []byte(text)); problem != "" {
					t.Errorf("%s: the loader takes what the schema refuses: %s", d.Pos, problem)
				}
			}
			return got
		})
	})
}

func runText(t *testing.T, text string) string {
	t.Helper()
	s, diagnostics := parseText("testdata", text)
	var result Result
	if s != nil {
		var err error
		if result, err = s.Run(t.Context(), testOptions()); err != nil {
			t.Fatal(err)
		}
		diagnostics = result.Diagnostics
	}
	var out strings.Builder
	for _, d := range diagnostics {
		if d.Severity == document.SeverityError {
			fmt.Fprintln(&out, d)
		}
	}
	for _, c := range result.Cases {
		if c.Diff == "" {
			fmt.Fprintf(&out, "ok %s\n", c.Name)
		} else {
			fmt.Fprintf(&out, "FAIL %s\n%s\n%s", c.Name, c.Diff, c.Log)
		}
	}
	return spentFuel.ReplaceAllString(out.String(), "spent N") // the unit may change with the flavor
}

var spentFuel = regexp.MustCompile(`spent \d+`)

func schemaOf(t *testing.T) map[string]any {
	t.Helper()
	var schema map[string]any
	if err := json.Unmarshal(Schema(), &schema); err != nil {
		t.Fatal(err)
	}
	return schema
}

// TestSchema proves that the schema refuses a mistake of each sort that it can know of, and that
// the loader does so too.
func TestSchema(t *testing.T) {
	fine := header + `state: fresh
timeout: 5s
cases:
  one:
    inject: [{payload: {a: 1}, meta: {x: y}}]
    expect: {captures: {out: {count: 1, snapshot: false}}, dead_letters: [{kind: guest, class: transform}], filtered: {no_match: 0}, dropped: 0}
`
	schema := schemaOf(t)
	if s, d := parseText("testdata", fine); s == nil {
		t.Fatal(d)
	}
	if problem := schematest.Check(schema, []byte(fine)); problem != "" {
		t.Fatal(problem)
	}
	for _, c := range [][2]string{
		{"kind: Suite", "kind: Pipeline"}, {"state: fresh", "state: frsh"}, {"timeout: 5s", "timeout: soon"}, {"cases:", "case:"},
		{"inject: [", "injct: ["}, {"inject: [{", "inject: [{pay: 1, "}, {"inject: [{payload: {a: 1}, meta: {x: y}}]", "inject: {}"},
		{"count: 1", "count: one"}, {"count: 1", "number: 1"}, {"count: 1", "count: -1"}, {"snapshot: false", "snapshot: 3"},
		{"kind: guest", "kind: gust"}, {"class: transform", "klass: transform"}, {"no_match: 0", "no_mach: 0"}, {"dropped: 0", "dropped: none"},
		{"expect: {", "expects: {"}, {"  one:", "  o/ne:"}, {"captures: {out", "captures: {.out"},
	} {
		text := strings.Replace(fine, c[0], c[1], 1)
		if text == fine {
			t.Fatalf("%q is not in the suite", c[0])
		}
		s, _ := parseText("testdata", text)
		if schematest.Check(schema, []byte(text)) == "" || s != nil {
			t.Errorf("%q instead of %q is taken", c[1], c[0])
		}
	}
}

// countingFlavor counts compilations.
type countingFlavor struct {
	runtime.Flavor
	compiled *int
}

func (f countingFlavor) Compile(ctx context.Context, code runtime.Code, s runtime.Settings) (runtime.Module, error) {
	*f.compiled++
	return f.Flavor.Compile(ctx, code, s)
}

// TestCompilesOnce proves that the cases of a suite share their modules.
func TestCompilesOnce(t *testing.T) {
	text := header + "cases:\n"
	for _, name := range []string{"a", "b", "c"} {
		text += "  " + name + ": {at: ingest, inject: [{payload: {qty: 1, price: 2, tags: []}}], expect: {captures: {out: {subset: [{seen: 1}]}}}}\n"
	}
	s, diagnostics := parseText("testdata", text)
	if s == nil {
		t.Fatal(diagnostics)
	}
	compiled, opt := 0, testOptions()
	opt.Load.Catalog.Flavors["script"] = countingFlavor{opt.Load.Catalog.Flavors["script"], &compiled}
	result, err := s.Run(t.Context(), opt)
	if err != nil || len(result.Cases) != 3 || len(result.Failed()) != 0 || compiled != 1 {
		t.Errorf("%d compiled, %v, %v, %v", compiled, err, result.Diagnostics, result.Failed())
	}
}

// FuzzLoad proves that no text makes the loader panic and that a text is a suite or has an error.
func FuzzLoad(f *testing.F) {
	for _, seed := range []string{
		"cases: {a: {inject: [{payload: {a: 1}}], expect: {}}}", "cases: {a: {inject: [{raw: x, meta: {a: 1}}], expect: {captures: {b: {exact: [1], text: 3, keys: []}}, fuel: {c: -1}}}}",
		"now: x\nstate: y\nparameters: {a: [1]}\nenv: {b: {}}\ncases: []", "cases: {a: }", "cases: {a: {at: 1, inject: {}, expect: []}}",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1<<14 {
			return
		}
		s, diagnostics := parseText("testdata", header+text)
		failed := slices.ContainsFunc(diagnostics, func(d document.Diagnostic) bool { return d.Severity == document.SeverityError })
		if failed == (s != nil) {
			t.Errorf("suite: %v, diagnostics: %v", s, diagnostics)
		}
	})
}

// FuzzCompare proves that comparing never panics, that a value has no diff with itself, and that a
// value projected on itself is itself.
func FuzzCompare(f *testing.F) {
	for _, seed := range [][2]string{{`{"a":[1,2.50,1e400]}`, `{"a":[1]}`}, {`[]`, `{}`}, {`x`, `1`}, {`1e99999999999`, `-0`}, {`"\ud800"`, `null`}} {
		f.Add([]byte(seed[0]), []byte(seed[1]))
	}
	f.Fuzz(func(t *testing.T, a, b []byte) {
		if len(a)+len(b) > 1<<12 {
			return
		}
		one, two := []json.RawMessage{a}, []json.RawMessage{b}
		if got := canonicalList(projectEach(one, one)); json.Valid(a) && got != canonicalList(one) {
			t.Errorf("%s is not itself: %s", a, got)
		}
		want, got := canonicalList(one), canonicalList(projectEach(one, two))
		if diff := Diff(want, got); (diff == "") != (want == got) {
			t.Errorf("diff of %q and %q: %q", want, got, diff)
		}
	})
}

// TestJUnit proves that the report is XML whatever a guest said, and counts what failed.
func TestJUnit(t *testing.T) {
	text, err := JUnit([]Result{
		{Suite: "a", File: "a.test.yaml", Cases: []CaseResult{{Name: "fine"}, {Name: "bad", Diff: "x\x00 ]]> <\xff\n", Log: "l\x1b[0m"}}},
		{File: "b.test.yaml", Diagnostics: []document.Diagnostic{{Code: "c", Severity: document.SeverityError, Message: "m"}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Errors   int `xml:"errors,attr"`
	}
	if err := xml.Unmarshal(text, &got); err != nil || got.Tests != 3 || got.Failures != 1 || got.Errors != 1 {
		t.Errorf("%v %+v\n%s", err, got, text)
	}
}

// TestUpdate proves that --update writes snapshots that then compare equal, that a changed one is
// a diff, that stale ones go only when every case ran, and that the suite's own text stays.
func TestUpdate(t *testing.T) {
	dir := t.TempDir()
	pipelineText, err := os.ReadFile("testdata/orders.yaml")
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) {
		t.Helper()
		if err := writeFile(filepath.Join(dir, name), text); err != nil {
			t.Fatal(err)
		}
	}
	write("orders.yaml", string(pipelineText))
	text := header + "cases:\n  one: # kept\n    at: ingest\n    inject: [{payload: {id: 1.50, qty: 2, price: 3, tags: []}}]\n    expect: {captures: {out: {snapshot: true}, total: {snapshot: true}}}\n"
	write("orders.test.yaml", text)
	write("orders.snapshots/gone.out.json", "[]\n")
	run := func(opt Options) Result {
		t.Helper()
		s, diagnostics := Load(filepath.Join(dir, "orders.test.yaml"), nil)
		if s == nil {
			t.Fatal(diagnostics)
		}
		result, err := s.Run(t.Context(), opt)
		if err != nil || result.Invalid() {
			t.Fatal(err, result.Diagnostics)
		}
		return result
	}
	if r := run(testOptions()); !strings.Contains(r.Cases[0].Diff, "there is no ") {
		t.Error(r.Cases[0].Diff)
	}
	update, some := testOptions(), testOptions()
	update.Update, some.Update = true, true
	some.Keep = func(string) bool { return true }
	if r := run(some); len(r.Written) != 2 || len(r.Removed) != 0 {
		t.Error(r.Written, r.Removed)
	}
	if r := run(update); len(r.Written) != 0 || len(r.Removed) != 1 || len(r.Failed()) != 0 {
		t.Error(r.Written, r.Removed, r.Failed())
	}
	got, err := os.ReadFile(filepath.Join(dir, "orders.snapshots", "one.out.json"))
	if want := "[\n  {\n    \"payload\": {\n      \"id\": 1.50,"; err != nil || !strings.HasPrefix(string(got), want) {
		t.Errorf("%v\n%s", err, got)
	}
	write("orders.snapshots/one.out.json", strings.Replace(string(got), "1.50", "1.5", 1))
	if r := run(testOptions()); !strings.Contains(r.Cases[0].Diff, "-       \"id\": 1.5,\n+       \"id\": 1.50,") {
		t.Error(r.Cases[0].Diff)
	}
	if kept, err := os.ReadFile(filepath.Join(dir, "orders.test.yaml")); err != nil || string(kept) != text {
		t.Errorf("%v\n%s", err, kept)
	}
}

// TestUpdateKeepsWhatFailed proves that --update keeps the snapshot of a case that came to no result:
// the case refers to it, whatever became of its run.
func TestUpdateKeepsWhatFailed(t *testing.T) {
	dir := t.TempDir()
	files := map[string]string{
		"orders.yaml": "apiVersion: leat/v1\nkind: Pipeline\nmetadata: {name: orders}\nsources: {in: {stdin: {}}}\n" +
			"transforms: {fails: {from: [in], script: {source: 'export default () => { throw new Error(\"no\") }'}}}\n" +
			"sinks: {out: {from: [fails], drop: {}}}\ndlq: {stop_after: {failures: 1, window: 1}}\n",
		"orders.test.yaml":              header + "cases:\n  one: {inject: [{payload: 1}], expect: {captures: {out: {snapshot: true}}}}\n",
		"orders.snapshots/one.out.json": "[]\n",
		"orders.snapshots/two.out.json": "[]\n",
	}
	for name, text := range files {
		if err := writeFile(filepath.Join(dir, name), text); err != nil {
			t.Fatal(err)
		}
	}
	s, diagnostics := Load(filepath.Join(dir, "orders.test.yaml"), nil)
	if s == nil {
		t.Fatal(diagnostics)
	}
	opt := testOptions()
	opt.Update = true
	result, err := s.Run(t.Context(), opt)
	if err != nil || len(result.Failed()) != 1 || !strings.Contains(result.Cases[0].Diff, "the run failed") {
		t.Fatal(err, result)
	}
	if want := []string{filepath.Join(dir, "orders.snapshots", "two.out.json")}; !slices.Equal(result.Removed, want) {
		t.Errorf("removed %v, want %v", result.Removed, want)
	}
}
