package pipeline

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/leat-run/leat/engine/pipeline/document/schematest"
)

// testSchema is the schema as an editor reads it.
func testSchema(t *testing.T) map[string]any {
	t.Helper()
	var schema map[string]any
	if err := json.Unmarshal(Schema(testCatalog(nil)), &schema); err != nil {
		t.Fatal(err)
	}
	return schema
}

// TestSchemaAgreesWithLoader proves on every document of testdata that the schema has nothing
// against what the loader takes.
func TestSchemaAgreesWithLoader(t *testing.T) {
	schema := testSchema(t)
	taken, refused := 0, 0
	datadriven.Walk(t, "testdata/documents", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			problem := schematest.Check(schema, []byte(d.Input))
			if problem != "" {
				refused++
			}
			if strings.HasSuffix(d.Expected, "ok\n") {
				taken++
				if problem != "" {
					t.Errorf("%s: the loader takes what the schema refuses: %s", d.Pos, problem)
				}
			}
			return d.Expected
		})
	})
	if taken < 5 || refused < 10 {
		t.Errorf("%d documents taken, %d refused: this proves nothing", taken, refused)
	}
}

// TestSchemaFindsMistakes proves that the schema refuses a mistake of each sort that it can know
// of, and that the loader does so too.
func TestSchemaFindsMistakes(t *testing.T) {
	const fine = `apiVersion: leat/v1
kind: Pipeline
metadata: {name: a}
sources: {in: {file: {path: a.jsonl, max_line: 1KiB}, decoder: json}}
transforms: {t: {from: [in], split: {}, workers: 2, order: none}}
sinks: {out: {from: [t: {required: false, retries: 1}], drop: {}, batch: {size: 5, timeout: 1s}}}
`
	schema := testSchema(t)
	valid := func(text string) bool {
		plan, _ := Parse(context.Background(), "p.yaml", []byte(text), testOptions(nil))
		if plan == nil {
			return false
		}
		return plan.Close() == nil
	}
	if problem := schematest.Check(schema, []byte(fine)); problem != "" || !valid(fine) {
		t.Fatal("the document without a mistake is refused: ", problem)
	}
	for _, c := range [][2]string{
		{"leat/v1", "leat/v2"}, {"kind: Pipeline", "kind: Pipelin"}, {"{name: a}", "{name: ../a}"}, {"{name: a}", "{}"},
		{"decoder: json", "decodr: json"}, {"decoder: json", "decoder: jsn"}, {"1KiB", "1KB"}, {"path: a.jsonl, ", ""},
		{"workers: 2", "workers: 0"}, {"workers: 2", "workers: two"}, {"order: none", "order: random"}, {"required: false", "required: maybe"},
		{"retries: 1", "retry: 1"}, {"drop: {}", "drop: {}, stdout: {}"}, {"drop: {}, ", ""}, {"timeout: 1s", "timeout: 1d"},
		{"size: 5", "size: 200000"}, {"from: [in]", "from: in"}, {"from: [in], ", ""}, {"sinks:", "sinkz:"},
	} {
		text := strings.Replace(fine, c[0], c[1], 1)
		if text == fine {
			t.Fatalf("%q is not in the document", c[0])
		}
		if schematest.Check(schema, []byte(text)) == "" || valid(text) {
			t.Errorf("%q instead of %q is taken", c[1], c[0])
		}
	}
}
