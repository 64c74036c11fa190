package pipeline

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
)

// TestExplainStage proves the same of a stage.
func TestExplainStage(t *testing.T) {
	datadriven.RunTest(t, "testdata/explain_stage", func(t *testing.T, d *datadriven.TestData) string {
		stage, diagnostics := ParseStage(context.Background(), "testdata/s.yaml", []byte(d.Input), testOptions(nil))
		if stage == nil {
			d.Fatalf(t, "%v", diagnostics)
		}
		defer func() { _ = stage.Close() }()
		r := stage.Resolve()
		switch d.Cmd {
		case "text":
			return r.Text()
		case "mermaid":
			return r.Mermaid()
		}
		text, err := json.MarshalIndent(r, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		return string(text) + "\n"
	})
}

// TestExplain proves how a plan reads as text, Mermaid and JSON, with every default in it.
// Where the document stands is left out of the output.
func TestExplain(t *testing.T) {
	datadriven.RunTest(t, "testdata/explain", func(t *testing.T, d *datadriven.TestData) string {
		plan, diagnostics := Parse(context.Background(), "testdata/p.yaml", []byte(d.Input), testOptions(nil))
		if plan == nil {
			d.Fatalf(t, "%v", diagnostics)
		}
		defer func() { _ = plan.Close() }()
		r := plan.Resolve()
		var out string
		switch d.Cmd {
		case "text":
			out = r.Text()
		case "mermaid":
			out = r.Mermaid(nil)
		case "json":
			text, err := json.MarshalIndent(r, "", " ")
			if err != nil {
				t.Fatal(err)
			}
			out = string(text) + "\n"
		}
		return strings.ReplaceAll(out, plan.Dir, "DIR")
	})
}
