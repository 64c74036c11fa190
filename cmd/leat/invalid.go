package main

import (
	"github.com/urfave/cli/v2"

	"github.com/leat-run/leat/engine/pipeline"
)

// invalidJSON is the object of a document that a verb could do nothing with (cli.md, Machine output).
type invalidJSON struct {
	File        string                `json:"file"`
	Pipeline    string                `json:"pipeline,omitempty"` // as far as it can be read
	Stage       string                `json:"stage,omitempty"`
	Status      string                `json:"status"` // invalid, or skipped where another document is
	Diagnostics []pipeline.Diagnostic `json:"diagnostics"`
}

// The statuses of documents that did not run.
const (
	statusInvalid = "invalid"
	statusSkipped = "skipped"
)

// invalid says what is wrong with a document: to a person on standard error, to a machine with the
// document's one object. It returns the exit code.
func invalid(c *cli.Context, s surroundings, file string, diagnostics []pipeline.Diagnostic) error {
	printDiagnostics(s.stderr, diagnostics)
	if wantsJSON(c) {
		if err := unrun(c, s, file, statusInvalid, diagnostics); err != nil {
			return err
		}
	}
	return ended(exitInvalid)
}

// wantsJSON says whether a document has one object on standard output.
func wantsJSON(c *cli.Context) bool { return c.Bool("json") || c.String("format") == "json" }

// unrun prints the object of a document that nothing was done with.
func unrun(c *cli.Context, s surroundings, file, status string, diagnostics []pipeline.Diagnostic) error {
	row := invalidJSON{File: file, Status: status, Diagnostics: diagnostics}
	if row.Diagnostics == nil {
		row.Diagnostics = []pipeline.Diagnostic{}
	}
	if options, err := loadOptions(c, s); err == nil {
		if isStage(file) {
			row.Stage, _ = pipeline.StageName(file, options) // "" where that is what is wrong
		} else {
			row.Pipeline, _ = pipeline.Name(file, options)
		}
	}
	return jsonTo(s.stdout).Encode(row)
}
