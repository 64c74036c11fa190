package tune

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/leat-run/leat/runtime"
)

// barWidth is how long the longest bar is, in characters.
const barWidth = 28

// Draw writes a report for a terminal: per node and resource a histogram, beside each bar
// what a budget of that size would fail.
func Draw(out io.Writer, report Report) error {
	w := &drawing{out: out}
	for i, n := range report.Nodes {
		if i > 0 {
			w.line("")
		}
		w.node(&n)
	}
	return w.err
}

// drawing is a writer that keeps its first error.
type drawing struct {
	out io.Writer
	err error
}

func (w *drawing) line(format string, args ...any) {
	if w.err == nil {
		_, w.err = fmt.Fprintf(w.out, format+"\n", args...)
	}
}

func (w *drawing) node(n *NodeReport) {
	w.line("%s (%s): %d calls measured%s", n.Node, n.Flavor, n.Count, failureText(n.Failures))
	if n.Count > 0 {
		resource(w, "fuel", n.Fuel, Group(n.Budget.Fuel), Group)
		resource(w, "time", n.Duration, n.Budget.Timeout, msText)
		resource(w, "memory", n.Memory, n.Budget.Memory, sizeText)
		w.sizes(n.BySize)
	}
	for _, c := range n.WhatIf {
		w.line("  %s: %s would fail %s", c.Resource, candidateText(c), share(c.Fails))
	}
	if s := n.Suggested; s != nil {
		w.line("  suggested: budget: {fuel: %s, timeout: %s, memory: %s}", Group(s.Fuel), s.Timeout, s.Memory)
	} else {
		w.line("  no suggestion")
	}
	for _, reason := range n.Reason {
		w.line("    %s", reason)
	}
}

func failureText(failures map[runtime.Kind]int64) string {
	var parts []string
	for _, kind := range slices.Sorted(maps.Keys(failures)) {
		parts = append(parts, fmt.Sprintf("%s %d", kind, failures[kind]))
	}
	if len(parts) == 0 {
		return ""
	}
	return ", failed: " + strings.Join(parts, ", ")
}

func resource[T int64 | float64](w *drawing, name string, f Figures[T], budget string, text func(T) string) {
	w.line("  %-6s p50 %s, p95 %s, p99 %s, max %s; budget %s", name, text(f.P50), text(f.P95), text(f.P99), text(f.Max), budget)
	var most int64
	for _, b := range f.Buckets {
		most = max(most, b.Count)
	}
	for _, b := range f.Buckets {
		bar := strings.Repeat("█", int((b.Count*barWidth+most-1)/max(most, 1)))
		w.line("    %14s %-*s %7d  a budget of that fails %s", "≤ "+text(b.Bound), barWidth, bar, b.Count, share(b.Fails))
	}
}

func (w *drawing) sizes(sizes []SizeFigures) {
	w.line("  fuel by payload")
	for _, s := range sizes {
		w.line("    %14s %7d calls, p95 %s, max %s", "≤ "+sizeText(s.Bytes), s.Count, Group(s.P95), Group(s.Max))
	}
}

func candidateText(c Candidate) string {
	switch c.Resource {
	case "timeout":
		return time.Duration(c.Value).String()
	case "memory":
		return sizeText(c.Value)
	default:
		return Group(c.Value)
	}
}

// share is a part of all calls; what is not nothing does not look like it.
func share(part float64) string {
	switch {
	case part == 0:
		return "none"
	case part < 0.0001:
		return "< 0.01 %"
	default:
		return fmt.Sprintf("%.2f %%", 100*part)
	}
}

func msText(v float64) string {
	return time.Duration(v * float64(time.Millisecond)).Round(time.Microsecond / 10).String()
}
