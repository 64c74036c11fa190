package pipeline

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Text renders the plan for a terminal: one block per node, every default visible.
func (r Resolved) Text() string {
	w := &outline{}
	w.line("pipeline %s (%s), mode %s", r.Pipeline, r.File, r.Mode)
	w.values("constants", r.Constants)
	w.values("parameters", r.Parameters)
	for _, s := range r.Sources {
		w.line("\nsource %s: %s", s.Name, s.Plugin)
		w.settings(s.Config)
		w.pairs("decoder", s.Decoder)
	}
	for _, t := range r.Transforms {
		w.transform(t)
	}
	for _, s := range r.Sinks {
		w.line("\nsink %s: %s", s.Name, s.Plugin)
		w.settings(s.Config)
		w.pairs("encoder", s.Encoder, "batch.size", s.BatchSize, "batch.timeout", s.BatchTimeout, "order_key", orDash(s.OrderKey))
	}
	w.line("\nedges")
	for _, e := range r.Edges {
		w.line("  %s -> %s", e.From, e.To)
		w.pairs("when", orDash(e.When), "required", e.Required, "retries", e.Retries, "backoff", e.Backoff, "timeout", e.Timeout,
			"buffer_max", e.BufferMax, "retry_deterministic", e.RetryDeterministic)
	}
	w.sections(r)
	return w.String()
}

// outline is text by lines.
type outline struct{ strings.Builder }

func (w *outline) line(format string, args ...any) { fmt.Fprintf(w, format+"\n", args...) }

// pairs writes names and values in turn, a line each.
func (w *outline) pairs(list ...any) {
	for i := 0; i+1 < len(list); i += 2 {
		w.line("    %-20s %v", list[i], list[i+1])
	}
}

func (w *outline) settings(list []Setting) {
	for _, s := range list {
		w.pairs(s.Key, s.Value)
	}
}

func (w *outline) values(title string, values map[string]any) {
	if len(values) == 0 {
		return
	}
	w.line("\n%s", title)
	for _, name := range slices.Sorted(maps.Keys(values)) {
		text, err := json.Marshal(values[name])
		if err != nil {
			text = fmt.Append(nil, values[name])
		}
		w.pairs(name, string(text))
	}
}

func (w *outline) transform(t ResolvedTransform) {
	w.line("\ntransform %s: %s %s", t.Name, t.Flavor, orDash(t.Code+t.Path))
	w.pairs("workers", t.Workers, "order", t.Order, "partition_by", orDash(t.PartitionBy))
	if t.Budget == nil {
		return
	}
	w.pairs("function", orDash(t.Function), "digest", orDash(t.Digest), "state", t.State, "isolation", t.Isolation)
	w.guest(t.ABI, t.Integers, t.Allow, t.Budget)
}

// guest writes what a flavor holds its code to.
func (w *outline) guest(abi, integers string, allow []string, b *ResolvedBudget) {
	if abi != "" {
		w.pairs("abi", abi)
	} else {
		w.pairs("integers", integers, "allow", orDash(strings.Join(allow, ", ")))
	}
	w.pairs("budget.fuel", b.Fuel, "budget.timeout", b.Timeout, "budget.memory", b.Memory, "budget.stack", b.Stack, "budget.input", b.Input,
		"budget.output", b.Output, "budget.outputs", b.Outputs, "budget.depth", b.Depth, "budget.log", b.Log)
}

func (w *outline) sections(r Resolved) {
	w.line("\nlimits")
	w.pairs("max_in_flight", r.Limits.MaxInFlight, "max_in_flight_bytes", r.Limits.MaxInFlightBytes, "drain_timeout", r.Limits.DrainTimeout)
	w.line("\ndlq")
	stop := "off"
	if s := r.DLQ.StopAfter; s != nil {
		stop = fmt.Sprintf("%d failures in %d messages", s.Failures, s.Window)
	}
	w.pairs("retention", r.DLQ.Retention, "stop_after", stop, "max_replays", r.DLQ.MaxReplays)
	w.line("\nstorage")
	w.pairs("durability", r.Storage.Durability, "spool_retention", r.Storage.SpoolRetention, "max_bytes", r.Storage.MaxBytes,
		"min_free_bytes", r.Storage.MinFreeBytes, "write_batch.max_rows", r.Storage.MaxRows, "write_batch.max_wait", r.Storage.MaxWait)
	w.line("\ntelemetry")
	w.pairs("redact", orDash(strings.Join(r.Telemetry.Redact, ", ")), "slow_call", r.Telemetry.SlowCall)
}

func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

// Mark is what a drawing says of a node that a message came to.
type Mark string

const (
	MarkPassed Mark = "passed"
	MarkFailed Mark = "failed"
)

// Mermaid renders the plan as a Mermaid flowchart: sources and sinks as stadiums, transforms
// as boxes, conditions on the edges, optional edges dotted. The nodes in marks, which may be
// nil, are drawn as marked.
func (r Resolved) Mermaid(marks map[string]Mark) string {
	w := &outline{}
	ids := map[string]string{}
	node := func(name, form, detail string) {
		ids[name] = fmt.Sprintf("n%d", len(ids))
		w.line("  %s"+form, ids[name], mermaidText(name+"\n"+detail))
	}
	w.line("flowchart LR")
	for _, s := range r.Sources {
		node(s.Name, `(["%s"])`, s.Plugin+" · "+s.Decoder)
	}
	for _, t := range r.Transforms {
		node(t.Name, `["%s"]`, strings.TrimSpace(fmt.Sprintf("%s %s", t.Flavor, t.Code+t.Path))+fmt.Sprintf(" · %d×", t.Workers))
	}
	for _, s := range r.Sinks {
		node(s.Name, `(["%s"])`, s.Plugin+" · "+s.Encoder)
	}
	for _, e := range r.Edges {
		arrow := "-->"
		if !e.Required {
			arrow = "-.->"
		}
		if e.When != "" {
			arrow += fmt.Sprintf(`|"%s"|`, mermaidText(e.When))
		}
		w.line("  %s %s %s", ids[e.From], arrow, ids[e.To])
	}
	for _, name := range slices.Sorted(maps.Keys(marks)) {
		w.line("  class %s %s", ids[name], marks[name])
	}
	if len(marks) > 0 {
		w.line("  classDef passed stroke:#2a7,stroke-width:3px")
		w.line("  classDef failed stroke:#c33,stroke-width:3px,stroke-dasharray:4")
	}
	return w.String()
}

// mermaidText makes any text a label: Mermaid reads entities, and knows no other escape.
func mermaidText(text string) string {
	return strings.NewReplacer("&", "#amp;", `"`, "#quot;", "<", "#lt;", ">", "#gt;", "#", "#35;", "\n", "<br/>", "`", "#96;", "|", "#124;").Replace(strings.TrimSpace(text))
}
