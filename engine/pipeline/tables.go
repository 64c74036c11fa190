package pipeline

import (
	"math"
	"slices"
	"time"

	"github.com/leat-run/leat/engine/pipeline/document"
)

// The tables of a pipeline document: every key that exists, with its type, default and
// bounds. The loader, `leat explain` and the JSON Schema are all driven by them.

// APIVersion is the only version of documents.
const APIVersion = "leat/v1"

// Kinds of document.
const (
	KindPipeline = "Pipeline"
	KindStage    = "Stage"
	KindSuite    = "Suite" // of contract tests: package engine/suite reads it
)

const noLimit = math.MaxInt64

// Header is the table of the keys that every kind of document starts with.
func Header(kind string) []Field { return header(kind) }

func header(kind string) []Field {
	return []Field{
		{Name: "apiVersion", Type: String, Required: true, Enum: []string{APIVersion}, Doc: "write apiVersion: " + APIVersion},
		{Name: "kind", Type: String, Required: true, Enum: []string{kind}, Doc: "write kind: " + kind},
		{Name: "metadata", Type: document.Mapping, Required: true, Doc: "write metadata: {name: …}", Shape: &document.Shape{
			Noun: "metadata", Fields: []Field{
				{Name: "name", Type: document.Name, Required: true, Doc: "the name names the store: keep it stable across versions"},
			},
		}},
	}
}

// pipelineShape is the table of a whole document against what the catalog offers.
func pipelineShape(c Catalog) *document.Shape {
	fields := append(header(KindPipeline),
		Field{Name: "constants", Type: document.Values, Doc: "values for ${constants.x}, expressions and guests"},
		Field{Name: "parameters", Type: document.Values, Doc: "values that `--param` may replace, with their defaults; null has none"},
		Field{Name: "sources", Type: document.Named, Required: true, Doc: "a pipeline reads from at least one source", Shape: sourceShape(c)},
		Field{Name: "transforms", Type: document.Named, Doc: "steps that run code on each message", Shape: transformShape(c)},
		Field{Name: "sinks", Type: document.Named, Required: true, Doc: "a pipeline writes to at least one sink", Shape: sinkShape(c)},
		Field{Name: "edge_defaults", Type: document.Mapping, Doc: "what edges do that say nothing themselves", Shape: &document.Shape{
			Noun: "edge_defaults", Fields: edgePolicy(),
			Refused: map[string]string{"when": "a condition belongs to one edge: - node: {when: …}"},
		}},
	)
	return &document.Shape{
		Noun: "the document", Doc: "A pipeline: sources, transforms and sinks, and how messages flow between them.",
		Fields: append(fields, sections()...),
		Refused: map[string]string{
			"codecs": "named codecs do not exist yet; decoder and encoder take a codec's name",
			"source": "write sources: with a name per source", "sink": "write sinks: with a name per sink",
			"transform": "write transforms: with a name per transform",
		},
	}
}

func (c Catalog) codecs() []string {
	if len(c.Codecs) == 0 {
		return []string{"json", "raw"}
	}
	return slices.Sorted(slices.Values(c.Codecs))
}

func sourceShape(c Catalog) *document.Shape {
	choices := map[string]*document.Shape{}
	for name, spec := range c.Sources {
		choices[name] = spec.shape(name + " source")
	}
	return &document.Shape{
		Noun: "source", Choices: choices,
		Fields: []Field{
			{Name: "decoder", Type: String, Default: "json", Enum: c.codecs(), Doc: "what the bytes are"},
		},
		Refused: map[string]string{
			"from":    "nothing flows into a source: make it a transform or a sink",
			"encoder": "a source has a decoder; encoders belong to sinks",
		},
	}
}

func sinkShape(c Catalog) *document.Shape {
	choices := map[string]*document.Shape{}
	for name, spec := range c.Sinks {
		choices[name] = spec.shape(name + " sink")
	}
	return &document.Shape{
		Noun: "sink", Choices: choices,
		Fields: []Field{
			fromField(),
			{Name: "encoder", Type: String, Default: "json", Enum: c.codecs(), Doc: "how payloads are written"},
			{Name: "batch", Type: document.Mapping, Doc: "how many messages one write takes", Shape: &document.Shape{Noun: "batch", Fields: []Field{
				{Name: "size", Type: Int, Default: int64(1), Min: 1, Max: 100_000, Doc: "messages of one write"},
				{Name: "timeout", Type: DurationType, Default: time.Second, Min: int64(time.Millisecond), Max: noLimit, Doc: "how long a batch that is not full waits"},
			}}},
			{Name: "order_key", Type: document.Expression, Doc: "CEL: what a sink that orders by key orders by"},
		},
		Refused: onTheEdge(map[string]string{"decoder": "a sink has an encoder; decoders belong to sources"}),
	}
}

// onTheEdge adds the keys that authors expect on a node, while they belong to its edges.
func onTheEdge(refused map[string]string) map[string]string {
	for _, f := range edgeShape().Fields {
		if _, ok := refused[f.Name]; !ok {
			refused[f.Name] = "it belongs to an edge: from: [{node: {" + f.Name + ": …}}], or to edge_defaults"
		}
	}
	return refused
}

func fromField() Field {
	return Field{
		Name: "from", Type: document.Edges, Required: true, Shape: edgeShape(),
		Doc: "name the nodes that it reads from: from: [node]",
	}
}

func edgeShape() *document.Shape {
	when := Field{Name: "when", Type: document.Expression, Doc: "CEL: only messages for which it is true pass"}
	return &document.Shape{Noun: "edge", Fields: append([]Field{when}, edgePolicy()...)}
}

func edgePolicy() []Field {
	return []Field{
		{Name: "required", Type: Bool, Default: true, Doc: "false drops what cannot be delivered, instead of making a dead letter"},
		{Name: "retries", Type: Int, Default: int64(3), Min: 0, Max: 1000, Doc: "attempts after the first"},
		{Name: "backoff", Type: String, Default: string(BackoffExponential), Enum: []string{string(BackoffExponential), string(BackoffConstant)}, Doc: "how the pause between attempts grows"},
		{Name: "timeout", Type: DurationType, Default: 30 * time.Second, Min: int64(time.Millisecond), Max: noLimit, Doc: "of one attempt at a sink"},
		{Name: "buffer_max", Type: Int, Default: int64(128), Min: 1, Max: 1_000_000, Doc: "messages that may wait on the edge"},
		{Name: "retry_deterministic", Type: Bool, Default: false, Doc: "true retries failures that cannot end differently, too"},
	}
}

// sections are the keys of the document that are about the run as a whole.
func sections() []Field {
	return []Field{
		{Name: "limits", Type: document.Mapping, Doc: "what a run holds at most", Shape: &document.Shape{Noun: "limits", Fields: []Field{
			{Name: "max_in_flight", Type: Int, Default: int64(10_000), Min: 1, Max: 10_000_000, Doc: "uncommitted messages"},
			{Name: "max_in_flight_bytes", Type: Size, Default: int64(256 << 20), Min: 1, Max: noLimit, Doc: "their payload bytes"},
			{Name: "drain_timeout", Type: DurationType, Default: 10 * time.Second, Min: int64(time.Millisecond), Max: noLimit, Doc: "how long a stopping run waits for what is in flight"},
		}}},
		{Name: "dlq", Type: document.Mapping, Doc: "what happens to dead letters", Shape: &document.Shape{Noun: "dlq", Fields: []Field{
			{Name: "retention", Type: DurationType, Min: int64(time.Second), Max: noLimit, Doc: "how long dead letters are kept; not given: for ever"},
			{Name: "stop_after", Type: document.Mapping, Doc: "ends the run as failed on a flood of dead letters; not given: off", Shape: &document.Shape{Noun: "stop_after", Fields: []Field{
				{Name: "failures", Type: Int, Required: true, Min: 1, Max: 1_000_000, Doc: "write stop_after: {failures: 100, window: 1000}"},
				{Name: "window", Type: Int, Required: true, Min: 1, Max: 1_000_000, Doc: "write stop_after: {failures: 100, window: 1000}"},
			}}},
			{Name: "max_replays", Type: Int, Default: int64(5), Min: 1, Max: 1000, Doc: "failed replays after which a letter is quarantined"},
		}}},
		{Name: "run", Type: document.Mapping, Doc: "how a run ends", Shape: &document.Shape{Noun: "run", Fields: []Field{
			{Name: "mode", Type: String, Enum: []string{string(ModeBatch), string(ModeContinuous)}, Doc: "not given: batch if every source is finite"},
		}}},
		storageField(),
		{Name: "telemetry", Type: document.Mapping, Doc: "what the operator sees", Shape: &document.Shape{Noun: "telemetry", Fields: []Field{
			{Name: "redact", Type: Strings, Doc: "dotted paths into payload or meta whose values --http does not show, nor a failure that quotes them; dlq, try and logs of guests do"},
			{Name: "slow_call", Type: DurationType, Default: 5 * time.Second, Min: int64(time.Millisecond), Max: noLimit, Doc: "a call that takes longer is logged while it runs"},
		}}},
	}
}

func storageField() Field {
	return Field{Name: "storage", Type: document.Mapping, Doc: "the pipeline's store", Shape: &document.Shape{Noun: "storage", Fields: []Field{
		{Name: "durability", Type: String, Default: "fsync", Enum: []string{"fsync", "os"}, Doc: "os survives a killed process, but not a lost machine"},
		{Name: "spool_retention", Type: Int, Default: int64(10_000), Min: 0, Max: noLimit, Doc: "rows kept behind the checkpoint"},
		{Name: "max_bytes", Type: Size, Default: int64(10 << 30), Min: 1 << 20, Max: noLimit, Doc: "of the spool"},
		{Name: "min_free_bytes", Type: Size, Default: int64(256 << 20), Doc: "free space below which nothing is accepted"},
		{Name: "write_batch", Type: document.Mapping, Doc: "how rows are grouped into one write", Shape: &document.Shape{Noun: "write_batch", Fields: []Field{
			{Name: "max_rows", Type: Int, Default: int64(256), Min: 1, Max: 2000, Doc: "rows of one write"},
			{Name: "max_wait", Type: DurationType, Default: time.Duration(0), Doc: "how long a write waits for company"},
		}}},
	}}}
}
