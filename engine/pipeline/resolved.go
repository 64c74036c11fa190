package pipeline

import (
	"time"

	"github.com/leat-run/leat/engine/pipeline/document"
	"github.com/leat-run/leat/runtime"
)

// The plan as an operator reads it: the document's own keys, every default visible, sizes
// and durations as a document writes them. Its JSON form is `leat explain --format json`.

// Resolved is a Plan for reading.
type Resolved struct {
	Pipeline   string              `json:"pipeline"`
	File       string              `json:"file"`
	Mode       string              `json:"mode"`
	Constants  map[string]any      `json:"constants,omitempty"`
	Parameters map[string]any      `json:"parameters,omitempty"`
	Sources    []ResolvedSource    `json:"sources"`
	Transforms []ResolvedTransform `json:"transforms"`
	Sinks      []ResolvedSink      `json:"sinks"`
	Edges      []ResolvedEdge      `json:"edges"`
	Limits     ResolvedLimits      `json:"limits"`
	DLQ        ResolvedDLQ         `json:"dlq"`
	Storage    ResolvedStorage     `json:"storage"`
	Telemetry  ResolvedTelemetry   `json:"telemetry"`
}

// ResolvedSource is a source for reading.
type ResolvedSource struct {
	Name    string    `json:"name"`
	Plugin  string    `json:"plugin"`
	Config  []Setting `json:"config"`
	Decoder string    `json:"decoder"`
}

// Setting is one key of a plugin, with its value as a document writes it.
type Setting struct {
	Key   string `json:"key"`
	Value any    `json:"value"`
}

// ResolvedTransform is a transform for reading; what a split does not have is left out.
type ResolvedTransform struct {
	Name        string          `json:"name"`
	Flavor      string          `json:"flavor"`
	Code        string          `json:"code,omitempty"`
	Function    string          `json:"function,omitempty"`
	Digest      string          `json:"digest,omitempty"`
	Path        string          `json:"path,omitempty"`
	Workers     int             `json:"workers"`
	Order       string          `json:"order"`
	PartitionBy string          `json:"partition_by,omitempty"`
	State       string          `json:"state,omitempty"`
	Isolation   string          `json:"isolation,omitempty"`
	Integers    string          `json:"integers,omitempty"`
	Allow       []string        `json:"allow,omitempty"`
	ABI         string          `json:"abi,omitempty"`
	Budget      *ResolvedBudget `json:"budget,omitempty"`
}

// ResolvedBudget is a budget for reading.
type ResolvedBudget struct {
	Fuel    int64  `json:"fuel"`
	Timeout string `json:"timeout"`
	Memory  string `json:"memory"`
	Stack   int    `json:"stack"`
	Input   string `json:"input"`
	Output  string `json:"output"`
	Outputs int    `json:"outputs"`
	Depth   int    `json:"depth"`
	Log     string `json:"log"`
}

// ResolvedSink is a sink for reading.
type ResolvedSink struct {
	Name         string    `json:"name"`
	Plugin       string    `json:"plugin"`
	Config       []Setting `json:"config"`
	Encoder      string    `json:"encoder"`
	BatchSize    int       `json:"batch_size"`
	BatchTimeout string    `json:"batch_timeout"`
	OrderKey     string    `json:"order_key,omitempty"`
}

// ResolvedEdge is an edge for reading.
type ResolvedEdge struct {
	From               string `json:"from"`
	To                 string `json:"to"`
	When               string `json:"when,omitempty"`
	Required           bool   `json:"required"`
	Retries            int    `json:"retries"`
	Backoff            string `json:"backoff"`
	Timeout            string `json:"timeout"`
	BufferMax          int    `json:"buffer_max"`
	RetryDeterministic bool   `json:"retry_deterministic"`
}

// ResolvedLimits are limits for reading.
type ResolvedLimits struct {
	MaxInFlight      int    `json:"max_in_flight"`
	MaxInFlightBytes string `json:"max_in_flight_bytes"`
	DrainTimeout     string `json:"drain_timeout"`
}

// ResolvedDLQ is dlq for reading.
type ResolvedDLQ struct {
	Retention  string       `json:"retention"` // "for ever", or a duration
	StopAfter  *ResolvedEnd `json:"stop_after"`
	MaxReplays int          `json:"max_replays"`
}

// ResolvedEnd is stop_after for reading.
type ResolvedEnd struct {
	Failures int `json:"failures"`
	Window   int `json:"window"`
}

// ResolvedStorage is storage for reading.
type ResolvedStorage struct {
	Durability     string `json:"durability"`
	SpoolRetention int64  `json:"spool_retention"`
	MaxBytes       string `json:"max_bytes"`
	MinFreeBytes   string `json:"min_free_bytes"`
	MaxRows        int    `json:"write_batch_max_rows"`
	MaxWait        string `json:"write_batch_max_wait"`
}

// ResolvedTelemetry is telemetry for reading.
type ResolvedTelemetry struct {
	Redact   []string `json:"redact"`
	SlowCall string   `json:"slow_call"`
}

// Resolve returns the plan for reading. It shares the plan's constants and parameters.
func (p *Plan) Resolve() Resolved {
	r := Resolved{
		Pipeline: p.Name, File: p.File, Mode: string(p.Mode), Constants: p.Constants, Parameters: p.Parameters,
		Sources: []ResolvedSource{}, Transforms: []ResolvedTransform{}, Sinks: []ResolvedSink{}, Edges: []ResolvedEdge{},
		Limits: ResolvedLimits{p.Limits.MaxInFlight, document.FormatSize(p.Limits.MaxInFlightBytes), document.FormatDuration(p.Limits.DrainTimeout)},
		DLQ:    p.DLQ.resolve(), Storage: p.Storage.resolve(),
		Telemetry: ResolvedTelemetry{append([]string{}, p.Telemetry.Redact...), document.FormatDuration(p.Telemetry.SlowCall)},
	}
	for _, s := range p.Sources {
		r.Sources = append(r.Sources, ResolvedSource{s.Name, s.Plugin, resolveConfig(s.Config, s.fields), s.Decoder})
	}
	for _, t := range p.Transforms {
		r.Transforms = append(r.Transforms, t.resolve())
	}
	for _, s := range p.Sinks {
		r.Sinks = append(r.Sinks, ResolvedSink{
			s.Name, s.Plugin, resolveConfig(s.Config, s.fields), s.Encoder,
			s.BatchSize, document.FormatDuration(s.BatchTimeout), s.OrderKey.text(),
		})
	}
	for _, e := range p.Edges {
		r.Edges = append(r.Edges, ResolvedEdge{
			e.From, e.To, e.When.text(), e.Required, e.Retries, string(e.Backoff),
			document.FormatDuration(e.Timeout), e.BufferMax, e.RetryDeterministic,
		})
	}
	return r
}

// text is the expression as written; a nil expression has none.
func (e *Expression) text() string {
	if e == nil {
		return ""
	}
	return e.Text
}

func resolveConfig(c Config, fields []Field) []Setting {
	out := make([]Setting, 0, len(fields))
	for _, f := range fields {
		out = append(out, Setting{f.Name, WrittenForm(c[f.Name], f.Type)})
	}
	return out
}

// WrittenForm is a value of a plugin's key as a document writes it: 1MiB, 200ms.
func WrittenForm(value any, t FieldType) any {
	switch value := value.(type) {
	case time.Duration:
		return document.FormatDuration(value)
	case int64:
		if t == Size {
			return document.FormatSize(value)
		}
	}
	return value
}

func (t *Transform) resolve() ResolvedTransform {
	r := ResolvedTransform{
		Name: t.Name, Flavor: t.Flavor, Path: t.SplitPath, Workers: t.Workers,
		Order: "keep", PartitionBy: t.PartitionBy.text(),
	}
	if !t.KeepOrder {
		r.Order = "none"
	}
	if t.Flavor == flavorSplit {
		return r
	}
	r.Code, r.Function = t.Code.Name, t.Code.Function
	if t.Module != nil {
		r.Digest = t.Module.Digest()
	}
	r.State, r.Isolation = string(t.Settings.State), string(t.Isolation)
	if t.Flavor == flavorScript {
		r.Integers, r.Allow = t.Settings.Integers, t.Settings.Allow
	} else {
		r.ABI = t.Settings.ABI
	}
	r.Budget = resolveBudget(t.Settings.Budget)
	return r
}

func resolveBudget(b runtime.Budget) *ResolvedBudget {
	return &ResolvedBudget{
		Fuel: b.Fuel, Timeout: document.FormatDuration(b.Timeout), Memory: document.FormatSize(b.Memory), Stack: b.Stack,
		Input: document.FormatSize(b.Input), Output: document.FormatSize(b.Output), Outputs: b.Outputs, Depth: b.Depth, Log: document.FormatSize(b.Log),
	}
}

func (d DLQ) resolve() ResolvedDLQ {
	r := ResolvedDLQ{Retention: "for ever", MaxReplays: d.MaxReplays}
	if d.Retention > 0 {
		r.Retention = document.FormatDuration(d.Retention)
	}
	if d.StopFailures > 0 {
		r.StopAfter = &ResolvedEnd{d.StopFailures, d.StopWindow}
	}
	return r
}

func (s Storage) resolve() ResolvedStorage {
	r := ResolvedStorage{
		Durability: "os", SpoolRetention: s.SpoolRetention, MaxBytes: document.FormatSize(s.MaxBytes),
		MinFreeBytes: document.FormatSize(s.MinFreeBytes), MaxRows: s.WriteRows, MaxWait: document.FormatDuration(s.WriteWait),
	}
	if s.Fsync {
		r.Durability = "fsync"
	}
	return r
}
