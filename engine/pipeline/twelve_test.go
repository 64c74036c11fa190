package pipeline

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

// TestTwelveMistakes proves that one verify finds all of a document's twelve different
// mistakes, each once, with its code and its place.
func TestTwelveMistakes(t *testing.T) {
	text := strings.Join([]string{
		"apiVersion: leat/v2",
		"kind: Pipeline",
		"metadata: {name: ../orders}",
		"sources:",
		"  ingest:",
		"    file: {path: orders.jsonl, max_line: 512KB}",
		"    decodr: json",
		"transforms:",
		"  enrich:",
		"    from: [ingst]",
		"    script: {file: enrihc.ts}",
		"    workers: two",
		"    budget: {fuel: -5}",
		"  score:",
		"    from: [{enrich: {when: payload.total + 1.0}}, enrich]",
		"    wasm: {modul: score.wasm, module: '${SCORE}'}",
		"sinks:",
		"  out: {from: [score], drop: {}}",
	}, "\n")
	want := []string{
		"1:13 bad-value", "3:18 bad-name", "6:42 bad-size", "7:5 unknown-key", "10:12 unknown-node",
		"11:20 no-file", "12:14 wrong-type", "13:20 out-of-range",
		"15:28 expression-type", "15:51 duplicate-edge", "16:12 unknown-key", "16:39 unset-variable",
	}
	plan, diagnostics := Parse(context.Background(), "testdata/p.yaml", []byte(text), testOptions(nil))
	if plan != nil {
		t.Fatal("there is a plan")
	}
	var got []string
	for _, d := range diagnostics {
		if d.Severity == SeverityError {
			got = append(got, fmt.Sprintf("%d:%d %s", d.Line, d.Column, d.Code))
		}
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
