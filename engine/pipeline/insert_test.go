package pipeline

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
)

// TestInsertTransform proves how a transform is put into documents of several layouts, comments
// and line ends kept, and which it leaves alone. `§` stands for a carriage return.
func TestInsertTransform(t *testing.T) {
	datadriven.Walk(t, "testdata/insert", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			n := NewTransform{Name: "new", Plugin: "script: {file: enrich.ts}"}
			d.ScanArgs(t, "after", &n.After)
			if d.HasArg("name") {
				d.ScanArgs(t, "name", &n.Name)
			}
			if d.HasArg("unbuilt") {
				n.Plugin = "wasm: {module: not-built.wasm}"
			}
			text := strings.ReplaceAll(d.Input, "§", "\r") + "\n"
			out, diagnostics := InsertTransform(context.Background(), "testdata/p.yaml", []byte(text), n, testOptions(nil))
			if out == nil {
				var b strings.Builder
				for _, one := range diagnostics {
					if one.Severity == SeverityError {
						fmt.Fprintln(&b, one)
					}
				}
				return b.String()
			}
			return strings.ReplaceAll(string(out), "\r", "§")
		})
	})
}
