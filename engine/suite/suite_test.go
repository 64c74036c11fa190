package suite

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
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

func testOptions() Options {
	return Options{
		Codecs: endpoint.Endpoints().Codecs,
		Load: pipeline.LoadOptions{Catalog: pipeline.Catalog{
			Flavors: map[string]runtime.Flavor{"script": script.New(script.Options{})},
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
			fmt.Fprintf(&out, "FAIL %s\n%s\n", c.Name, c.Diff)
		}
	}
	return out.String()
}

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
