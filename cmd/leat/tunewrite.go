package main

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/engine/pipeline/document"
	"github.com/leat-run/leat/engine/tune"
)

// write puts the suggestions into the document. A node without one is left as it is, and the
// exit code says so.
func (t *tuning) write(c *cli.Context, s surroundings, report tune.Report) error {
	text, err := pipeline.ReadFile(t.file, document.MaxBytes)
	if err != nil {
		return fail(exitFailed, "", fmt.Errorf("the document cannot be read again: %w", err))
	}
	left := 0
	for _, n := range report.Nodes {
		if n.Suggested == nil {
			remark(c, s, "leat: %s is left as it is: %s", n.Node, n.Reason[0])
			left++
			continue
		}
		if text, err = pipeline.EditBudget(text, n.Node, n.Flavor, budgetKeys(n)); err != nil {
			return fail(exitInvalid, "nothing was written; write the suggestion yourself", err)
		}
	}
	if left == len(report.Nodes) {
		return ended(exitPartial)
	}
	if err := t.loads(c, s, text); err != nil {
		return err
	}
	if err := replaceText(t.file, text); err != nil {
		return fail(exitFailed, "nothing was written", err)
	}
	remark(c, s, "leat: %s has the new budgets", t.file)
	if left > 0 {
		return ended(exitPartial)
	}
	return nil
}

// loads proves that the document still loads: what a module does at its start has a budget too.
func (t *tuning) loads(c *cli.Context, s surroundings, text []byte) error {
	options, err := loadOptions(c, s)
	if err != nil {
		return err
	}
	plan, diagnostics := pipeline.Parse(c.Context, t.file, text, options)
	if plan == nil {
		printDiagnostics(s.stderr, diagnostics)
		return fail(exitInvalid, "give more --headroom; nothing was written", fmt.Errorf("with these budgets the document does not load"))
	}
	return plan.Close()
}

// budgetKeys are what a suggestion changes.
func budgetKeys(n tune.NodeReport) []pipeline.BudgetKey {
	keys := []pipeline.BudgetKey{{Key: "fuel", Value: tune.Group(n.Suggested.Fuel)}}
	if n.Suggested.Timeout != n.Budget.Timeout {
		keys = append(keys, pipeline.BudgetKey{Key: "timeout", Value: n.Suggested.Timeout})
	}
	return append(keys, pipeline.BudgetKey{Key: "memory", Value: n.Suggested.Memory})
}
