package tune

import (
	"math/bits"
	"time"

	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/engine/pipeline/document"
	"github.com/leat-run/leat/runtime"
)

// Report is what Advise finds, as `leat tune --json` prints it.
type Report struct {
	Pipeline string       `json:"pipeline"`
	Nodes    []NodeReport `json:"nodes"`
}

// NodeReport is one transform's part.
type NodeReport struct {
	Node     string                 `json:"node"`
	Flavor   string                 `json:"flavor"`
	Count    int64                  `json:"count"` // calls that succeeded: what the numbers are of
	Failures map[runtime.Kind]int64 `json:"failures"`
	Fuel     Figures[int64]         `json:"fuel"`
	Duration Figures[float64]       `json:"duration_ms"`
	Memory   Figures[int64]         `json:"memory_bytes"`
	Budget   Limits                 `json:"budget"`
	// Suggested is nil where there is too little to go by; Reason says why, or how the
	// numbers came about.
	Suggested *Limits       `json:"suggested"`
	Reason    []string      `json:"reason"`
	BySize    []SizeFigures `json:"by_size"`
	// WhatIf are the candidates that the caller asked for.
	WhatIf []Candidate `json:"what_if,omitempty"`
}

// Figures are what one resource came to.
type Figures[T int64 | float64] struct {
	P50     T           `json:"p50"`
	P95     T           `json:"p95"`
	P99     T           `json:"p99"`
	Max     T           `json:"max"`
	Buckets []Bucket[T] `json:"buckets"`
}

// Bucket counts the calls that needed more than half of Bound and at most Bound. Fails is
// the share of all calls, from 0 to 1, that a budget of Bound would fail.
type Bucket[T int64 | float64] struct {
	Bound T       `json:"le"`
	Count int64   `json:"count"`
	Fails float64 `json:"fails"`
}

// SizeFigures are the fuel of the calls whose payload has at most Bytes and more than half.
type SizeFigures struct {
	Bytes int64 `json:"bytes"`
	Count int64 `json:"count"`
	P95   int64 `json:"fuel_p95"`
	Max   int64 `json:"fuel_max"`
}

// Limits are the three budgets that tune is about, as documents write them.
type Limits struct {
	Fuel    int64  `json:"fuel"`
	Timeout string `json:"timeout"`
	Memory  string `json:"memory"`
}

func limitsOf(b runtime.Budget) Limits {
	return Limits{Fuel: b.Fuel, Timeout: document.FormatDuration(b.Timeout), Memory: document.FormatSize(b.Memory)}
}

// Candidate is a budget that somebody thinks of, and what it would do.
type Candidate struct {
	Resource string  `json:"resource"` // fuel, timeout or memory
	Value    int64   `json:"value"`    // units, nanoseconds or bytes
	Fails    float64 `json:"fails"`    // share of the calls, from 0 to 1
}

// Options of Advise.
type Options struct {
	Headroom float64 // the suggestion is the maximum times this; 0 is 2, at least 1
	WhatIf   []Candidate
	// Budgets are those of the document by node, where the plan was loaded with others.
	Budgets map[string]runtime.Budget
}

// Advise reports on every node of the plan that runs a guest, in the plan's order.
func Advise(plan *pipeline.Plan, e *Evidence, o Options) Report {
	report := Report{Pipeline: plan.Name, Nodes: []NodeReport{}}
	for _, t := range plan.Transforms {
		n := e.nodes[t.Name]
		if t.Module == nil || n == nil {
			continue
		}
		budget, ok := o.Budgets[t.Name]
		if !ok {
			budget = t.Settings.Budget
		}
		n.view(func(s *Seen) { report.Nodes = append(report.Nodes, nodeReport(t, s, budget, o)) })
	}
	return report
}

func nodeReport(t *pipeline.Transform, s *Seen, budget runtime.Budget, o Options) NodeReport {
	r := NodeReport{
		Node: t.Name, Flavor: t.Flavor, Count: s.Succeeded(), Failures: map[runtime.Kind]int64{}, Budget: limitsOf(budget),
		Fuel: figures(&s.Fuel, 1), Duration: times(&s.Time), Memory: figures(&s.Memory, 1), BySize: []SizeFigures{},
	}
	for kind, n := range s.Failures {
		r.Failures[kind] = n
	}
	for class, size := range s.Sizes {
		if size.Fuel.Count() > 0 {
			r.BySize = append(r.BySize, SizeFigures{
				Bytes: 1<<class - int64(boolBit(class > 0)), Count: size.Fuel.Count(), P95: size.Fuel.Quantile(0.95), Max: size.Fuel.Max(),
			})
		}
	}
	for _, c := range o.WhatIf {
		c.Fails = s.of(c.Resource).Above(c.Value)
		r.WhatIf = append(r.WhatIf, c)
	}
	r.Suggested, r.Reason = suggest(s, budget, t.Flavor, o.Headroom)
	return r
}

// of returns the distribution that a budget key is about.
func (s *Seen) of(resource string) *Distribution {
	switch resource {
	case "timeout":
		return &s.Time
	case "memory":
		return &s.Memory
	default:
		return &s.Fuel
	}
}

func figures(d *Distribution, unit int64) Figures[int64] {
	f := Figures[int64]{
		P50: d.Quantile(0.5) / unit, P95: d.Quantile(0.95) / unit, P99: d.Quantile(0.99) / unit, Max: d.Max() / unit, Buckets: []Bucket[int64]{},
	}
	for _, o := range d.Octaves() {
		f.Buckets = append(f.Buckets, Bucket[int64]{Bound: o.Bound / unit, Count: o.Count, Fails: d.Above(o.Bound)})
	}
	return f
}

func times(d *Distribution) Figures[float64] {
	f := Figures[float64]{
		P50: ms(d.Quantile(0.5)), P95: ms(d.Quantile(0.95)), P99: ms(d.Quantile(0.99)), Max: ms(d.Max()), Buckets: []Bucket[float64]{},
	}
	for _, o := range d.Octaves() {
		f.Buckets = append(f.Buckets, Bucket[float64]{Bound: ms(o.Bound), Count: o.Count, Fails: d.Above(o.Bound)})
	}
	return f
}

func ms(nanos int64) float64 { return float64(nanos) / float64(time.Millisecond) }

// roundUp rounds up to two significant digits.
func roundUp(v int64) int64 {
	unit := int64(1)
	for v/unit >= 100 {
		unit *= 10
	}
	return (v + unit - 1) / unit * unit
}

// roundUpSize rounds up to a whole KiB, or to an eighth of an octave above a MiB.
func roundUpSize(bytes int64) int64 {
	unit := int64(1 << 10)
	if bytes > 1<<20 {
		unit = max(1<<18, int64(1)<<(bits.Len64(uint64(bytes))-4))
	}
	return (bytes + unit - 1) / unit * unit
}
