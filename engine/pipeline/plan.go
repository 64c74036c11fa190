package pipeline

import (
	"errors"
	"time"

	"github.com/leat-run/leat/runtime"
)

// Plan is a verified pipeline: every default is written in, every reference resolved,
// every script, module and predicate compiled. It is immutable and safe to share.
type Plan struct {
	// File is the document's path as given, Dir its absolute directory.
	File, Dir  string
	Name       string
	Constants  map[string]any
	Parameters map[string]any
	Sources    []*Source
	// Transforms stand in topological order.
	Transforms []*Transform
	Sinks      []*Sink
	// Edges stand in the order of their target's `from` list, targets in the order
	// transforms, then sinks.
	Edges     []*Edge
	Limits    Limits
	DLQ       DLQ
	Mode      Mode
	Storage   Storage
	Telemetry Telemetry
	modules   []runtime.Module
}

// Close releases the compiled modules. REQUIRES: every instance of them is closed. It is
// idempotent.
func (p *Plan) Close() error {
	var failed error
	for _, m := range p.modules {
		failed = errors.Join(failed, m.Close())
	}
	p.modules = nil
	return failed
}

// Mode says when a run ends.
type Mode string

const (
	// ModeBatch ends when every source is exhausted and everything is committed.
	ModeBatch Mode = "batch"
	// ModeContinuous ends by a signal.
	ModeContinuous Mode = "continuous"
)

// Source is a source node.
type Source struct {
	Name    string
	Plugin  string // the plugin key, such as "file"
	Config  Config // checked against the plugin's Spec, every default filled in
	Decoder string // a codec's name
	Line    int
	fields  []Field
}

// Transform is a transform node. A Split has no Module.
type Transform struct {
	Name   string
	Flavor string // "script", "wasm", or "split" (one message per element of a JSON array)
	// Code and Settings are what the module was compiled from; zero for split.
	Code     runtime.Code
	Settings runtime.Settings
	// Module is compiled code, shared by the workers; nil for split. The Plan owns it (Plan.Close).
	Module      runtime.Module
	SplitPath   string // split: dotted path of the array inside the payload, "" for the payload itself
	Workers     int    // 1-256
	KeepOrder   bool   // order: keep (default) or none
	PartitionBy *Expression
	Isolation   Isolation
	Line        int
}

// Isolation says where an instance lives.
type Isolation string

const (
	IsolationNone    Isolation = "none"
	IsolationProcess Isolation = "process"
)

// Sink is a sink node.
type Sink struct {
	Name         string
	Plugin       string
	Config       Config
	Encoder      string
	BatchSize    int           // 1-100,000
	BatchTimeout time.Duration // how long a batch that is not full waits
	OrderKey     *Expression
	Line         int
	fields       []Field
	output       *output // nil where it has no file for itself
}

// Edge leads from a source or transform to a transform or sink.
type Edge struct {
	From, To string
	// When is nil where every message passes.
	When     *Expression
	Required bool
	// Retries is how often a failed delivery is tried again: 3 means 4 attempts.
	Retries int
	Backoff Backoff
	Timeout time.Duration // of one attempt at a sink
	// BufferMax is the room of this edge in its target's queue, in messages.
	BufferMax          int
	RetryDeterministic bool
	Line               int
}

// Backoff is how the pause between two attempts grows.
type Backoff string

const (
	BackoffExponential Backoff = "exponential"
	BackoffConstant    Backoff = "constant"
)

// Limits bound what a run holds.
type Limits struct {
	MaxInFlight      int   // uncommitted messages
	MaxInFlightBytes int64 // their payload bytes
	DrainTimeout     time.Duration
}

// DLQ is what happens to dead letters.
type DLQ struct {
	Retention    time.Duration // 0 keeps them for ever
	StopFailures int           // stop_after: this many failures within StopWindow messages end the run; 0 is off
	StopWindow   int
	MaxReplays   int
}

// Storage is the store's part of a document.
type Storage struct {
	Fsync          bool  // durability: fsync (default) or os
	SpoolRetention int64 // rows kept behind the checkpoint
	MaxBytes       int64 // of the spool
	MinFreeBytes   int64 // of the disk
	WriteRows      int   // write_batch.max_rows, 1-2000
	WriteWait      time.Duration
}

// Telemetry is what the operator sees.
type Telemetry struct {
	Redact   []string // dotted paths
	SlowCall time.Duration
}
