package pipeline

import (
	"time"

	"github.com/leat-run/leat/engine/pipeline/document"
	"github.com/leat-run/leat/runtime"
)

// The tables of a stage document.

// stageShape is the table of a whole stage document against what the catalog offers.
func stageShape(c Catalog) *document.Shape {
	guest := func(noun, doc string) Field {
		return Field{Name: noun, Type: document.Mapping, Doc: doc, Shape: &document.Shape{
			Noun: noun, Choices: flavorShapes(c), Fields: stageGuestFields(),
			Refused: map[string]string{
				"workers":   "a stage has one worker per partition: make its topics with more of them",
				"abi":       "a stage calls an export: build a reactor",
				"isolation": "isolation belongs to the transforms of pipelines: the guest of a stage runs in this process, under its budget",
			},
		}}
	}
	return &document.Shape{
		Noun: "the document", Doc: "A causal stage: topics in, a fold or handler that sees every effect after its causes, topics out.",
		Fields: append(header(KindStage),
			Field{Name: "constants", Type: document.Values, Doc: "values for ${constants.x} and the guest"},
			Field{Name: "inputs", Type: document.Named, Required: true, Doc: "a stage reads at least one topic: inputs: {orders: {}}", Shape: &document.Shape{
				Noun: "input", Doc: "A topic that the stage reads, with all its partitions.", Fields: []Field{
					{Name: "decoder", Type: String, Default: "json", Enum: c.codecs(), Doc: "what the values are"},
					{Name: "start", Type: String, Default: string(StartEarliest), Enum: []string{string(StartEarliest), string(StartLatest)}, Doc: "where a topic begins of which the stage knows nothing yet"},
				},
				Refused: map[string]string{"encoder": "an input has a decoder; encoders belong to outputs"},
			}},
			Field{Name: "outputs", Type: document.Named, Doc: "the topics that the guest may emit to", Shape: &document.Shape{
				Noun: "output", Doc: "A topic that the guest may emit to.", Fields: []Field{
					{Name: "encoder", Type: String, Default: "json", Enum: c.codecs(), Doc: "how values are written"},
				},
				Refused: map[string]string{"decoder": "an output has an encoder; decoders belong to inputs"},
			}},
			guest("fold", "the guest, with a state per key"),
			guest("handle", "the guest, without state"),
			Field{Name: "on_failure", Type: String, Default: string(FailureBlock), Enum: []string{string(FailureBlock), string(FailureDeadLetter)}, Doc: "dead_letter passes over records on which the guest fails the same way each time"},
			Field{Name: "hold_warning_after", Type: DurationType, Default: 30 * time.Second, Min: int64(time.Millisecond), Max: noLimit, Doc: "how long a record waits for its causes before that is logged"},
			Field{Name: "truncate_every", Type: DurationType, Default: 10 * time.Minute, Min: int64(time.Second), Max: noLimit, Doc: "how often clocks forget what no log holds any more"},
			Field{Name: "run", Type: document.Mapping, Doc: "how a run ends", Shape: &document.Shape{Noun: "run", Fields: []Field{
				{Name: "mode", Type: String, Default: string(ModeContinuous), Enum: []string{string(ModeBatch), string(ModeContinuous)}, Doc: "batch ends when the inputs are drained"},
			}}},
		),
		Refused: map[string]string{
			"sources": "a stage has inputs, which are topics", "sinks": "a stage has outputs, which are topics",
			"transforms": "a stage has one guest: fold or handle", "parameters": "parameters belong to pipelines; use constants, or ${NAME} from the environment",
			"dlq":           "a stage keeps its dead letters until they are purged; on_failure says whether it has any",
			"limits":        "a stage fetches what it delivers, and holds the rest on disk: it has no limits of its own",
			"storage":       "a stage keeps its state in the log of --data-dir; retention belongs to its topics: leat topic create",
			"edge_defaults": "a stage has no edges", "telemetry": "telemetry belongs to pipelines: a stage logs no payloads",
		},
	}
}

// stageGuestFields are guestFields without what only a transform has.
func stageGuestFields() []Field {
	var fields []Field
	for _, f := range guestFields(runtime.StateFresh) {
		if f.Name != "abi" {
			fields = append(fields, f)
		}
	}
	return fields
}
