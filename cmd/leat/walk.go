package main

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/leat-run/leat/engine"
	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/engine/pipeline/document"
	"github.com/leat-run/leat/engine/tune"
)

// walkJSON is a message's walk in `explain --format json`.
type walkJSON struct {
	Visits []visitJSON `json:"visits"`
	Cut    bool        `json:"cut"` // there would have been more
}

type visitJSON struct {
	Node       string        `json:"node"`
	Role       string        `json:"role"`
	Outputs    []messageJSON `json:"outputs"`
	Failure    *walkFault    `json:"failure"`
	Record     string        `json:"record,omitempty"`        // what a sink would write
	RecordRaw  []byte        `json:"record_base64,omitempty"` // the same, where it is no text
	OrderKey   string        `json:"order_key,omitempty"`
	Fuel       int64         `json:"fuel"`
	DurationMS float64       `json:"duration_ms"`
	Edges      []verdictJSON `json:"edges"`
}

type walkFault struct {
	Class  string `json:"class"`
	Kind   string `json:"kind"`
	Reason string `json:"reason"`
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
}

type verdictJSON struct {
	To     string `json:"to"`
	Output int    `json:"output"`
	When   string `json:"when,omitempty"`
	Passes bool   `json:"passes"`
	Error  string `json:"error,omitempty"`
}

func (w *walk) row() *walkJSON {
	if w == nil {
		return nil
	}
	row := &walkJSON{Visits: []visitJSON{}, Cut: w.cut}
	for _, v := range w.visits {
		row.Visits = append(row.Visits, visitRow(v))
	}
	return row
}

func visitRow(v engine.Visit) visitJSON {
	row := visitJSON{
		Node: v.Node, Role: string(v.Role), Outputs: []messageJSON{}, Edges: []verdictJSON{},
		OrderKey: v.Record.OrderKey,
		Fuel:     v.Usage.Fuel, DurationMS: milliseconds(v.Usage.Duration),
	}
	if utf8.Valid(v.Record.Bytes) {
		row.Record = string(v.Record.Bytes)
	} else {
		row.RecordRaw = v.Record.Bytes
	}
	if f := v.Failure; f != nil {
		row.Failure = &walkFault{v.Class, string(f.Kind), f.Message, f.File, f.Line, f.Column}
	}
	for _, m := range v.Out {
		row.Outputs = append(row.Outputs, messageRow(m))
	}
	for _, e := range v.Edges {
		out := verdictJSON{To: e.To, Output: e.Output, When: e.When, Passes: e.Passes}
		if e.Err != nil {
			out.Error = e.Err.Error()
		}
		row.Edges = append(row.Edges, out)
	}
	return row
}

// marks are the nodes on the walk, for a drawing.
func (w *walk) marks() map[string]pipeline.Mark {
	if w == nil {
		return nil
	}
	marks := map[string]pipeline.Mark{}
	for _, v := range w.visits {
		if v.Failure != nil {
			marks[v.Node] = pipeline.MarkFailed
		} else if marks[v.Node] == "" {
			marks[v.Node] = pipeline.MarkPassed
		}
	}
	return marks
}

// printWalk tells a message's walk, a block per stop.
func printWalk(out io.Writer, plan *pipeline.Plan, w *walk) error {
	for i, v := range w.visits {
		if i > 0 {
			fmt.Fprintln(out)
		}
		fmt.Fprintf(out, "%s %s: %s\n", v.Role, v.Node, visitText(plan, v))
		fmt.Fprint(out, outputText(v))
		for _, e := range v.Edges {
			fmt.Fprintf(out, "  %s\n", printable(verdictText(e, len(v.Out))))
		}
	}
	if w.cut {
		fmt.Fprintf(out, "\n(the walk has more than %d stops: the rest is not shown)\n", len(w.visits))
	}
	return nil
}

// outputText is what came out of a node: of a transform beside what went in.
func outputText(v engine.Visit) string {
	switch {
	case len(v.Out) == 0:
		return ""
	case v.Role == engine.RoleSource:
		return "    " + firstLine(shown(v.Out[0].Payload), 160) + "\n"
	default:
		text := messageDiff(v.In, v.Out, "enters", "emits")
		return "    " + strings.ReplaceAll(text, "\n", "\n    ") + "\n"
	}
}

func visitText(plan *pipeline.Plan, v engine.Visit) string {
	if f := v.Failure; f != nil {
		return fmt.Sprintf("a dead letter, %s: %s", v.Class, printable(f.Error()))
	}
	switch v.Role {
	case engine.RoleSource:
		return fmt.Sprintf("decodes %d bytes as %s", len(v.In.Payload), v.Out[0].Codec)
	case engine.RoleSink:
		text := fmt.Sprintf("would write %d bytes", len(v.Record.Bytes))
		if v.Record.OrderKey != "" {
			text += ", order key " + printable(v.Record.OrderKey)
		}
		return text
	}
	return stepText(&v.Step) + spentText(plan, v)
}

// spentText is what a transform used, as a share of its budget.
func spentText(plan *pipeline.Plan, v engine.Visit) string {
	for _, t := range plan.Transforms {
		if b := t.Settings.Budget; t.Name == v.Node && b.Fuel > 0 {
			return fmt.Sprintf(", %s fuel (%s of %s), %.3f ms (of %s)", tune.Group(v.Usage.Fuel),
				percent(float64(v.Usage.Fuel)/float64(b.Fuel)), tune.Group(b.Fuel), milliseconds(v.Usage.Duration), document.FormatDuration(b.Timeout))
		}
	}
	return ""
}

func verdictText(e engine.Verdict, outputs int) string {
	text := "-> " + e.To
	if !e.Passes {
		text = "x  " + e.To
	}
	if outputs > 1 {
		text += fmt.Sprintf(" (output %d)", e.Output+1)
	}
	switch {
	case e.Err != nil:
		text += fmt.Sprintf("  cannot be evaluated: when %s: %v", e.When, e.Err)
	case e.When != "":
		text += fmt.Sprintf("  %v: when %s", e.Passes, e.When)
	}
	return text
}
