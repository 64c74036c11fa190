package suite

import (
	"encoding/json"
	"math"
	"strings"
	"time"

	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/engine/pipeline/document"
	"github.com/leat-run/leat/store"
)

// The tables of a suite of a stage.

// StageSchema returns the JSON Schema of a suite of a stage, for editors.
func StageSchema() []byte {
	text, err := json.MarshalIndent(document.Schema(stageSuiteShape(), "leat suite of a stage"), "", "  ")
	if err != nil {
		panic("suite: the tables are plain values: " + err.Error())
	}
	return text
}

// ofStage says whether a suite is about a stage: it names one, or stands beside one.
func ofStage(reader *document.Reader, file string) bool {
	if reader.Peek("stage") != "" {
		return true
	}
	base, named := strings.CutSuffix(file, Extension)
	if !named || reader.Peek("pipeline") != "" {
		return false
	}
	return pipeline.KindOf(base+".yaml") == pipeline.KindStage // what cannot be read is said when it is loaded
}

func stageSuiteShape() *document.Shape {
	return &document.Shape{
		Noun: "the suite", Doc: "Contract tests of a causal stage.",
		Fields: append(pipeline.Header(pipeline.KindSuite),
			document.Field{Name: "stage", Type: document.Path, Default: "", Doc: "path of the stage; not given: fulfilment.yaml for fulfilment.test.yaml"},
			document.Field{Name: "partitions", Type: document.Int, Default: int64(1), Min: 1, Max: store.MaxPartitions, Doc: "of each topic"},
			document.Field{Name: "now", Type: document.String, Default: defaultNow, Doc: "the timestamp of every record, in RFC 3339"},
			document.Field{Name: "timeout", Type: document.Duration, Default: 30 * time.Second, Min: int64(time.Millisecond), Max: math.MaxInt64, Doc: "after which a case is given up"},
			document.Field{Name: "env", Type: document.Values, Doc: "environment variables for the stage's ${NAME}, before the real ones"},
			document.Field{Name: "cases", Type: document.Named, Required: true, Doc: "write cases: with a name per case", Shape: stageCaseShape()},
		),
		Refused: map[string]string{
			"pipeline": "a suite is about one document: keep pipeline or stage", "parameters": "parameters belong to pipelines; use env",
			"state": "the state that is expected belongs under expect: of a case",
		},
	}
}

func stageCaseShape() *document.Shape {
	return &document.Shape{Noun: "case", Fields: []document.Field{
		{Name: "doc", Type: document.String, Default: "", Doc: "what the case is about"},
		{Name: "arrive", Type: document.Mappings, Required: true, Shape: arrivalShape(), Doc: "write arrive: [{topic: orders, key: o-1, value: {…}}]"},
		{Name: "expect", Type: document.Mapping, Required: true, Shape: stageExpectShape(), Doc: "write expect: {delivered: [orders:0:0]}, or expect: {} for nothing held, blocked or dead"},
	}, Refused: map[string]string{
		"inject": "records arrive at a stage: write arrive: [{topic: orders, value: {…}}]", "refuse": "a stage has no sinks",
		"delivered": "it belongs under expect:", "emitted": "it belongs under expect:",
	}}
}

// arrivedValues are the keys of an arrival that say its value: exactly one is written.
var arrivedValues = []string{"value", "raw", "base64"}

func arrivalShape() *document.Shape {
	return &document.Shape{Noun: "arrival", Fields: []document.Field{
		{Name: "topic", Type: document.String, Required: true, Doc: "the input: topic: orders"},
		{Name: "value", Type: document.JSON, Doc: "the record's value, as YAML or JSON; null is a record without one"},
		{Name: "raw", Type: document.String, Default: "", Literal: true, Doc: "the value's bytes as text: may be broken on purpose"},
		{Name: "base64", Type: document.String, Default: "", Doc: "the value's bytes"},
		{Name: "key", Type: document.String, Default: "", Doc: "the record's key; not given: null"},
		{Name: "headers", Type: document.Values, Doc: "the record's headers"},
		{Name: "partition", Type: document.Int, Default: int64(0), Max: store.MaxPartitions, Doc: "where it stands; not given: by its key"},
		{Name: "after", Type: document.Strings, Doc: "the records that it claims as its causes: [orders:0:0]"},
	}, Refused: map[string]string{"payload": "a record has a value", "meta": "a record has headers", "offset": "offsets count from 0 in each partition"}}
}

func stageExpectShape() *document.Shape {
	at := document.Field{Name: "at", Type: document.String, Required: true, Doc: "TOPIC:PARTITION:OFFSET"}
	emitted := captureShape()
	emitted.Noun = "emitted"
	for i, f := range emitted.Fields {
		if f.Name == "meta" {
			emitted.Fields[i] = document.Field{Name: "headers", Type: document.JSON, Doc: "the list of headers, each with at least these"}
		}
	}
	emitted.Fields = append(emitted.Fields, document.Field{Name: "after", Type: document.JSON, Doc: "what each record claims: a list of lists of TOPIC:PARTITION:OFFSET"})
	return &document.Shape{Noun: "expect", Fields: []document.Field{
		{Name: "delivered", Type: document.Strings, Doc: "what the guest took, in this order: TOPIC:PARTITION:OFFSET each"},
		{Name: "emitted", Type: document.Named, Shape: emitted, Doc: "what was appended to an output, by partition"},
		{Name: "state", Type: document.JSON, Doc: "the state of each key that is named, at the end; null is none: {o-1: null}"},
		{Name: "held", Type: document.Mappings, Doc: "the heads of channels that wait, at the end; not given: none", Shape: &document.Shape{Noun: "held", Fields: []document.Field{
			at, {Name: "waits_for", Type: document.Strings, Doc: "its causes that are missing"},
			{Name: "behind", Type: document.Int, Default: int64(0), Max: math.MaxInt64, Doc: "how many wait behind it"},
		}}},
		{Name: "blocked", Type: document.Mappings, Doc: "the records on which the guest failed and that block their channels; not given: none", Shape: &document.Shape{Noun: "blocked", Fields: []document.Field{
			at, {Name: "kind", Type: document.String, Default: "", Doc: "how the guest failed"},
			{Name: "reason", Type: document.String, Default: "", Doc: "a part of the reason"},
		}}},
		{Name: "dead_letters", Type: document.Mappings, Shape: letterShape(), Doc: "all of them, in the order of delivery; not given: none"},
		{Name: "fuel", Type: document.Int, Default: int64(0), Max: math.MaxInt64, Doc: "the most fuel that a record may spend"},
	}, Refused: map[string]string{"captures": "a stage emits: write emitted: {shipments: {subset: [{…}]}}", "filtered": "a stage filters nothing"}}
}
