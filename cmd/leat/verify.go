package main

import (
	"context"
	"fmt"
	"io"

	"github.com/urfave/cli/v2"

	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/engine/pipeline/document"
	isolation "github.com/leat-run/leat/flavors/process"
)

// verdict is one document's result in `verify --json`.
type verdict struct {
	File        string                `json:"file"`
	OK          bool                  `json:"ok"`
	Diagnostics []pipeline.Diagnostic `json:"diagnostics"`
}

func verifyCommand(s surroundings) *cli.Command {
	return verb(&cli.Command{
		Name:      "verify",
		Usage:     "check documents without running them",
		ArgsUsage: "FILE...",
		Description: "Reads the document, compiles every script, module and predicate, and says all that is wrong with it.\n" +
			"No message is read, nothing is written.\n\nExample:\n   leat verify orders.yaml --strict",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "strict", Usage: "treat warnings as errors"},
			paramFlag(),
		},
		Action: func(c *cli.Context) error {
			names, err := files(c, "document")
			if err != nil {
				return err
			}
			return verify(c, s, names)
		},
	})
}

func verify(c *cli.Context, s surroundings, names []string) error {
	options, err := loadOptions(c, s)
	if err != nil {
		return err
	}
	code := exitCompleted
	for _, name := range names {
		v, summary := check(c.Context, name, options)
		if !v.OK {
			code = exitInvalid
		}
		if c.Bool("json") {
			if err := jsonTo(s.stdout).Encode(v); err != nil {
				return err
			}
			continue
		}
		printDiagnostics(s.stdout, v.Diagnostics)
		fmt.Fprintf(s.stdout, "%s: %s\n", name, summary)
	}
	return ended(code)
}

// check loads one document and lets it go again.
func check(ctx context.Context, name string, options pipeline.LoadOptions) (verdict, string) {
	if isStage(name) {
		return checkStage(ctx, name, options)
	}
	plan, diagnostics := pipeline.Load(ctx, name, options)
	if diagnostics == nil {
		diagnostics = []pipeline.Diagnostic{}
	}
	v := verdict{File: name, OK: plan != nil, Diagnostics: diagnostics}
	if plan == nil {
		return v, fmt.Sprintf("invalid, %s", count(len(diagnostics), "diagnostic"))
	}
	summary := fmt.Sprintf("ok (%s, %s, %s)", count(len(plan.Sources), "source"),
		count(len(plan.Transforms), "transform"), count(len(plan.Sinks), "sink"))
	for _, t := range plan.Transforms {
		if t.Isolation == pipeline.IsolationProcess {
			summary += "\n    " + childLimits(t)
		}
	}
	if err := plan.Close(); err != nil {
		summary += ", but closing it failed: " + err.Error()
	}
	return v, summary
}

func checkStage(ctx context.Context, name string, options pipeline.LoadOptions) (verdict, string) {
	plan, diagnostics := pipeline.LoadStage(ctx, name, options)
	if diagnostics == nil {
		diagnostics = []pipeline.Diagnostic{}
	}
	v := verdict{File: name, OK: plan != nil, Diagnostics: diagnostics}
	if plan == nil {
		return v, fmt.Sprintf("invalid, %s", count(len(diagnostics), "diagnostic"))
	}
	summary := fmt.Sprintf("ok (%s, %s, %s)", plan.Entry, count(len(plan.Inputs), "input"), count(len(plan.Outputs), "output"))
	if err := plan.Close(); err != nil {
		summary += ", but closing it failed: " + err.Error()
	}
	return v, summary
}

// childLimits says what holds a transform that runs in child processes on this platform.
func childLimits(t *pipeline.Transform) string {
	b := t.Settings.Budget
	return fmt.Sprintf("%s: a child process per worker; the kernel holds it to %s of memory above its start, and it is killed with a message that runs for %v",
		t.Name, document.FormatSize(isolation.Room(b)), b.Timeout+isolation.Grace(b))
}

// loadOptions are the options that every verb loads documents with.
func loadOptions(c *cli.Context, s surroundings) (pipeline.LoadOptions, error) {
	parameters, err := parameters(c)
	return pipeline.LoadOptions{
		Catalog: catalog(), Env: s.env, Parameters: parameters, Strict: c.Bool("strict"),
	}, err
}

// printDiagnostics writes one line each, with the hint below.
func printDiagnostics(out io.Writer, all []pipeline.Diagnostic) {
	for _, d := range all {
		fmt.Fprintf(out, "%s: %s[%s]: %s\n", placeOf(d), d.Severity, d.Code, d.Message)
		if d.Hint != "" {
			fmt.Fprintf(out, "    %s\n", d.Hint)
		}
	}
}

// placeOf is file:line:column as far as it is known.
func placeOf(d pipeline.Diagnostic) string {
	place := d.File
	if d.Line > 0 {
		place += fmt.Sprintf(":%d", d.Line)
	}
	if d.Line > 0 && d.Column > 0 {
		place += fmt.Sprintf(":%d", d.Column)
	}
	return place
}

// count renders "1 sink", "2 sinks".
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
