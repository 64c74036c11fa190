package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/leat-run/leat/engine/pipeline/document"
	"github.com/leat-run/leat/engine/tune"
	"github.com/leat-run/leat/runtime"
)

// trialJSON is the object of `try --json` (cli.md, Machine output).
type trialJSON struct {
	Node     string       `json:"node"`
	Flavor   string       `json:"flavor"`
	Outputs  []outputJSON `json:"outputs"`
	Filtered string       `json:"filtered,omitempty"` // null or no_output
	trialSpent
}

// trialSpent is what a trial on a node and one on a stage have in common.
type trialSpent struct {
	Failure     *trialFailure `json:"failure"`
	Fuel        int64         `json:"fuel"`
	DurationMS  float64       `json:"duration_ms"`
	MemoryBytes int64         `json:"memory_bytes"`
	Budget      trialBudget   `json:"budget"`
	Log         []logLine     `json:"log,omitempty"`
}

type outputJSON struct {
	payloadJSON
	Key  *string           `json:"key,omitempty"`
	Meta map[string]string `json:"meta,omitempty"`
}

type trialFailure struct {
	Kind          string `json:"kind"`
	Message       string `json:"message"`
	Hint          string `json:"hint,omitempty"`
	Backtrace     string `json:"backtrace"`
	File          string `json:"file"`
	Line          int    `json:"line"`
	Column        int    `json:"column"`
	Measured      int64  `json:"measured,omitempty"`
	Limit         int64  `json:"limit,omitempty"`
	Deterministic bool   `json:"deterministic"`
}

type trialBudget struct {
	Fuel        int64   `json:"fuel"`
	TimeoutMS   float64 `json:"timeout_ms"`
	MemoryBytes int64   `json:"memory_bytes"`
	Stack       int     `json:"stack"`
	InputBytes  int64   `json:"input_bytes"`
	OutputBytes int64   `json:"output_bytes"`
	Outputs     int     `json:"outputs"`
	Depth       int     `json:"depth"`
	LogBytes    int64   `json:"log_bytes"`
}

// print shows the trial on standard output.
func (t *trial) print(c *cli.Context, s surroundings) error {
	if c.Bool("json") {
		out := jsonTo(s.stdout)
		if t.stage != nil {
			return out.Encode(t.stageRow())
		}
		return out.Encode(t.row())
	}
	_, err := fmt.Fprint(s.stdout, t.text())
	return err
}

func (t *trial) row() trialJSON {
	row := trialJSON{Node: t.node.Name, Flavor: t.node.Flavor, Outputs: []outputJSON{}, Filtered: t.filtered(), trialSpent: t.spent()}
	for _, m := range t.result.Out {
		row.Outputs = append(row.Outputs, outputOf(m))
	}
	return row
}

func (t *trial) spent() trialSpent {
	b, used := t.node.Settings.Budget, t.result.Usage
	row := trialSpent{
		Log:  t.log,
		Fuel: used.Fuel, DurationMS: milliseconds(used.Duration), MemoryBytes: used.Memory,
		Budget: trialBudget{
			Fuel: b.Fuel, TimeoutMS: milliseconds(b.Timeout), MemoryBytes: b.Memory, Stack: b.Stack, InputBytes: b.Input,
			OutputBytes: b.Output, Outputs: b.Outputs, Depth: b.Depth, LogBytes: b.Log,
		},
	}
	if f := t.failure; f != nil {
		row.Failure = &trialFailure{
			Kind: string(f.Kind), Message: f.Message, Hint: f.Hint, Backtrace: f.Backtrace, File: f.File, Line: f.Line,
			Column: f.Column, Measured: f.Measured, Limit: f.Limit, Deterministic: f.Deterministic,
		}
	}
	return row
}

// filtered is the reason for no output; "" where there is one or a failure.
func (t *trial) filtered() string {
	switch {
	case t.failure != nil || len(t.result.Out) > 0:
		return ""
	case t.result.Null:
		return "null"
	default:
		return "no_output"
	}
}

func outputOf(m runtime.Message) outputJSON {
	out := outputJSON{payloadJSON: payloadOf(m.Codec, m.Payload), Meta: m.Meta}
	if m.Key != nil {
		key := string(m.Key)
		out.Key = &key
	}
	return out
}

// text is the trial for a person.
func (t *trial) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s): %s\n", t.node.Name, t.code(), t.verdict())
	if t.failure != nil {
		t.writeFailure(&b)
	}
	if t.stage != nil {
		t.stage.write(&b)
	} else {
		t.writeOutputs(&b)
	}
	if len(t.log) > 0 {
		b.WriteString("\nlog\n")
	}
	for _, l := range t.log {
		fmt.Fprintf(&b, "  %-5s  %s\n", l.Level, indent(shown([]byte(l.Text))))
	}
	t.writeUsage(&b)
	return b.String()
}

func (t *trial) writeOutputs(b *strings.Builder) {
	for i, m := range t.result.Out {
		if len(t.result.Out) > 1 {
			fmt.Fprintf(b, "\noutput %d of %d", i+1, len(t.result.Out))
		}
		fmt.Fprintf(b, "\n%s\n", pretty(m))
		writeAnnotations(b, m)
	}
}

// code is what the node runs, as the document names it.
func (t *trial) code() string {
	if t.node.Code.Path == "" {
		return t.node.Flavor
	}
	return t.node.Flavor + " " + t.node.Code.Name
}

func (t *trial) verdict() string {
	switch {
	case t.failure != nil:
		return "failed, kind " + string(t.failure.Kind)
	case t.stage != nil:
		return t.stage.verdict()
	case t.filtered() == "null":
		return "filtered: it returned null"
	case t.filtered() == "no_output":
		return "filtered: it emitted nothing"
	default:
		return count(len(t.result.Out), "output")
	}
}

// writeFailure prints what happened, where, and what to do.
func (t *trial) writeFailure(b *strings.Builder) {
	f := t.failure
	fmt.Fprintf(b, "\n  %s\n", indent(shown([]byte(f.Message))))
	if f.Limit > 0 {
		fmt.Fprintf(b, "  measured %s, limit %s\n", tune.Group(f.Measured), tune.Group(f.Limit))
	}
	if place := f.Place(); place != "" {
		fmt.Fprintf(b, "\n  %s\n", place)
	}
	for _, block := range []string{f.Excerpt, f.Backtrace} {
		if block != "" {
			fmt.Fprintf(b, "  %s\n", indent(shown([]byte(block))))
		}
	}
	if f.Hint != "" {
		fmt.Fprintf(b, "\n  hint: %s\n", indent(f.Hint))
	}
}

// pretty is a payload over several lines, every number as it is.
func pretty(m runtime.Message) string {
	var out bytes.Buffer
	if m.Codec != "raw" && json.Indent(&out, m.Payload, "", "  ") == nil {
		return shown(out.Bytes())
	}
	return shown(m.Payload)
}

func writeAnnotations(b *strings.Builder, m runtime.Message) {
	if m.Key != nil {
		fmt.Fprintf(b, "  key   %s\n", shown(m.Key))
	}
	for _, name := range slices.Sorted(maps.Keys(m.Meta)) {
		if !strings.HasPrefix(name, runtime.MetaReserved) {
			fmt.Fprintf(b, "  meta  %s = %s\n", shown([]byte(name)), shown([]byte(m.Meta[name])))
		}
	}
}

// writeUsage prints what was spent as a share of each budget.
func (t *trial) writeUsage(b *strings.Builder) {
	limit, used := t.node.Settings.Budget, t.result.Usage
	b.WriteByte('\n')
	for _, row := range []struct {
		name       string
		used, most float64
		says, of   string
	}{
		{"fuel", float64(used.Fuel), float64(limit.Fuel), tune.Group(used.Fuel), tune.Group(limit.Fuel)},
		{"time", float64(used.Duration), float64(limit.Timeout), used.Duration.Round(time.Microsecond).String(), document.FormatDuration(limit.Timeout)},
		{"memory", float64(used.Memory), float64(limit.Memory), roughSize(used.Memory), roughSize(limit.Memory)},
	} {
		share := min(row.used/row.most, 1)
		fmt.Fprintf(b, "  %-7s %s %6s  %s of %s\n", row.name, bar(share), percent(row.used/row.most), row.says, row.of)
	}
}

// percent keeps small shares visible.
func percent(share float64) string {
	switch p := share * 100; {
	case p == 0:
		return "0 %"
	case p < 0.1:
		return "<0.1 %"
	case p < 10:
		return fmt.Sprintf("%.1f %%", p)
	default:
		return fmt.Sprintf("%.0f %%", p)
	}
}

// roughSize is a number of bytes to three digits.
func roughSize(n int64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB"}
	value := float64(n)
	for len(units) > 1 && value >= 1024 {
		value, units = value/1024, units[1:]
	}
	return fmt.Sprintf("%.3g %s", value, units[0])
}
