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
// command is `verify` (diagnostics, then "ok" if there is a plan) or `explain`; its arguments
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
