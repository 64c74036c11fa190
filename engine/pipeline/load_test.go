package pipeline

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
)

// TestDocuments proves what the loader says about documents: every file in
// testdata/documents holds documents, and below each all its diagnostics, or the plan. A
// command is `verify` (diagnostics, then "ok" if there is a plan), `stage` (the same, then what the stage is) or `explain`; its arguments
// are environment variables, `param.x=v` parameters, or `strict`.
func TestDocuments(t *testing.T) {
	datadriven.Walk(t, "testdata/documents", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			env, opt := map[string]string{}, LoadOptions{}
			given := map[string]string{}
			strict := false
			for _, arg := range d.CmdArgs {
				name, isParameter := strings.CutPrefix(arg.Key, "param.")
				value := strings.Join(arg.Vals, ",")
				switch {
				case arg.Key == "strict":
					strict = true
				case isParameter:
					given[name] = value
				default:
					env[arg.Key] = value
				}
			}
			opt = testOptions(env)
			opt.Parameters, opt.Strict = given, strict
			return runDocument(t, d, opt)
		})
	})
}

func runDocument(t *testing.T, d *datadriven.TestData, opt LoadOptions) string {
	if d.Cmd == "stage" {
		return runStage(t, d, opt)
	}
	plan, diagnostics := Parse(context.Background(), "testdata/p.yaml", []byte(d.Input), opt)
	var out strings.Builder
	for _, diagnostic := range diagnostics {
		if diagnostic.Code != "no-stop-after" {
			fmt.Fprintln(&out, diagnostic)
		}
	}
	if plan != nil {
		fmt.Fprintln(&out, "ok")
		if err := plan.Close(); err != nil {
			t.Error(err)
		}
	}
	return out.String()
}

func runStage(t *testing.T, d *datadriven.TestData, opt LoadOptions) string {
	stage, diagnostics := ParseStage(context.Background(), "testdata/s.yaml", []byte(d.Input), opt)
	var out strings.Builder
	for _, diagnostic := range diagnostics {
		fmt.Fprintln(&out, diagnostic)
	}
	if stage == nil {
		return out.String()
	}
	fmt.Fprintf(&out, "%s: %s %s, state %s, abi %s, on_failure %s, warning after %s, truncate every %s, %s\n", stage.Name, stage.Flavor, stage.Code.Entry,
		stage.Settings.State, stage.Settings.ABI, stage.OnFailure, stage.HoldWarningAfter, stage.TruncateEvery, stage.Mode)
	for _, in := range stage.Inputs {
		fmt.Fprintf(&out, "input %s %s %s line %d\n", in.Topic, in.Decoder, in.Start, in.Line)
	}
	for _, to := range stage.Outputs {
		fmt.Fprintf(&out, "output %s %s line %d\n", to.Topic, to.Encoder, to.Line)
	}
	if err := stage.Close(); err != nil {
		t.Error(err)
	}
	return out.String()
}
