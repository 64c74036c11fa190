package suite

import (
	"encoding/json"
	"math"
	"time"

	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/engine/pipeline/document"
	"github.com/leat-run/leat/runtime"
	"github.com/leat-run/leat/store"
)

// The tables of a suite: every key that exists. The loader and the JSON Schema are driven
// by them.

// defaultNow is where the clock of a case stands.
const defaultNow = "2026-01-01T00:00:00Z"

// Schema returns the JSON Schema of a suite, for editors.
func Schema() []byte {
	text, err := json.MarshalIndent(document.Schema(suiteShape(), "leat suite"), "", "  ")
	if err != nil {
		panic("suite: the tables are plain values: " + err.Error())
	}
	return text
}

func suiteShape() *document.Shape {
	return &document.Shape{
		Noun: "the suite", Doc: "Contract tests of a pipeline.",
		Fields: append(pipeline.Header(pipeline.KindSuite),
			document.Field{Name: "pipeline", Type: document.Path, Default: "", Doc: "path of the pipeline; not given: orders.yaml for orders.test.yaml"},
			document.Field{Name: "state", Type: document.String, Default: string(runtime.StateFresh), Enum: []string{string(runtime.StateFresh), string(runtime.StateReuse)},
				Doc: "fresh gives every message the instance's initial state, whatever the pipeline says; reuse runs as the pipeline says"},
			document.Field{Name: "now", Type: document.String, Default: defaultNow, Doc: "where the clock stands, in RFC 3339"},
			document.Field{Name: "timeout", Type: document.Duration, Default: 30 * time.Second, Min: int64(time.Millisecond), Max: math.MaxInt64, Doc: "after which a case is given up"},
			document.Field{Name: "parameters", Type: document.Values, Doc: "values of the pipeline's parameters"},
			document.Field{Name: "env", Type: document.Values, Doc: "environment variables for the pipeline's ${NAME}, before the real ones"},
			document.Field{Name: "cases", Type: document.Named, Required: true, Doc: "write cases: with a name per case", Shape: caseShape()},
		),
	}
}

func caseShape() *document.Shape {
	return &document.Shape{Noun: "case", Fields: []document.Field{
		{Name: "doc", Type: document.String, Default: "", Doc: "what the case is about"},
		{Name: "at", Type: document.String, Default: "", Doc: "the node that is injected at; not given: the only source"},
		{Name: "refuse", Type: document.Values, Doc: "sinks that refuse every write, with the error's text: refuse: {out: connection lost}"},
		{Name: "inject", Type: document.Mappings, Required: true, Shape: injectShape(), Doc: "write inject: [{payload: {…}}]"},
		{Name: "expect", Type: document.Mapping, Required: true, Shape: expectShape(), Doc: "write expect: {captures: {sink: {subset: [{…}]}}}, or expect: {} for no dead letters"},
	}, Refused: map[string]string{
		"captures": "it belongs under expect:", "dead_letters": "it belongs under expect:",
		"payload": "it belongs into the list under inject:",
	}}
}

// samples are the keys of an injection that say what is injected: exactly one is written.
var samples = []string{"payload", "raw", "base64", "file", "lines", "letter"}

func injectShape() *document.Shape {
	return &document.Shape{Noun: "injection", Fields: []document.Field{
		{Name: "payload", Type: document.JSON, Doc: "the message's payload, as YAML or JSON"},
		{Name: "raw", Type: document.String, Default: "", Literal: true, Doc: "the message's bytes as text: may be broken on purpose"},
		{Name: "base64", Type: document.String, Default: "", Doc: "the message's bytes"},
		{Name: "file", Type: document.Path, Default: "", Doc: "a file that is one message"},
		{Name: "lines", Type: document.Path, Default: "", Doc: "a file with a message on each line"},
		{Name: "letter", Type: document.Path, Default: "", Doc: "a file of dead letters, as `leat dlq list --json` prints them: each goes into the node that failed"},
		{Name: "at", Type: document.String, Default: "", Doc: "the node that is injected at; not given: the case's"},
		{Name: "id", Type: document.String, Default: "", Doc: "the message's id; not given: m-1, m-2 and so on"},
		{Name: "key", Type: document.String, Default: "", Doc: "the message's key"},
		{Name: "meta", Type: document.Values, Doc: "the message's annotations"},
		{Name: "codec", Type: document.String, Default: "", Enum: []string{"json", "raw"}, Doc: "what the payload is; not given: as the source decodes"},
		{Name: "ingested", Type: document.String, Default: "", Doc: "the guest's clock, in RFC 3339; not given: the suite's now"},
	}}
}

func expectShape() *document.Shape {
	counter := func(name, doc string) document.Field {
		return document.Field{Name: name, Type: document.Int, Default: int64(0), Max: math.MaxInt64, Doc: doc}
	}
	return &document.Shape{Noun: "expect", Fields: []document.Field{
		{Name: "captures", Type: document.Named, Shape: captureShape(), Doc: "what reached a sink, or left a transform"},
		{Name: "dead_letters", Type: document.Mappings, Shape: letterShape(), Doc: "all of them, in the order of the injections; not given: none"},
		{Name: "filtered", Type: document.Mapping, Doc: "branches that ended without an output, by reason; a reason that is not given is 0", Shape: &document.Shape{Noun: "filtered", Fields: []document.Field{
			counter("null", "the guest said null"), counter("no_output", "the guest emitted nothing"), counter("no_match", "no edge's condition was true"),
		}}},
		counter("dropped", "branches that an optional edge gave up"),
		{Name: "fuel", Type: document.Values, Doc: "the most fuel that a message may spend in a transform: fuel: {enrich: 50_000}"},
	}}
}

func captureShape() *document.Shape {
	return &document.Shape{Noun: "capture", Fields: []document.Field{
		{Name: "exact", Type: document.JSON, Doc: "the list of payloads, equal as JSON values"},
		{Name: "subset", Type: document.JSON, Doc: "the list of payloads, each with at least these members"},
		{Name: "text", Type: document.JSON, Doc: "the list of payloads as text, equal byte for byte"},
		{Name: "snapshot", Type: document.Bool, Default: false, Doc: "true compares with a file that `leat test --update` writes"},
		{Name: "count", Type: document.Int, Default: int64(0), Max: math.MaxInt64, Doc: "how many messages"},
		{Name: "keys", Type: document.JSON, Doc: "the list of keys; null for none"},
		{Name: "meta", Type: document.JSON, Doc: "the list of annotations, each with at least these"},
	}}
}

func letterShape() *document.Shape {
	kinds := make([]string, 0, len(runtime.Kinds()))
	for _, k := range runtime.Kinds() {
		kinds = append(kinds, string(k))
	}
	classes := []string{
		store.ClassDecode, store.ClassCodec, store.ClassEncode, store.ClassDelivery,
		store.ClassCanceled, store.ClassTransform, store.ClassPredicate,
	}
	return &document.Shape{Noun: "dead letter", Fields: []document.Field{
		{Name: "node", Type: document.String, Default: "", Doc: "the node that failed"},
		{Name: "class", Type: document.String, Default: "", Enum: classes, Doc: "where in the pipeline it failed"},
		{Name: "kind", Type: document.String, Default: "", Enum: kinds, Doc: "how the guest failed"},
		{Name: "reason", Type: document.String, Default: "", Doc: "a part of the reason"},
		{Name: "message", Type: document.String, Default: "", Doc: "the message's id"},
	}}
}
