package stage

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/leat-run/leat/engine/causal"
	"github.com/leat-run/leat/engine/codec"
	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/runtime"
)

// Answer is what a guest made of a call.
type Answer struct {
	State []byte // JSON, of a fold; nil deletes the key's state
	Emit  []Emission
}

// Emission is a record that the guest wants to append, encoded. The topic is one of the stage's outputs.
type Emission struct {
	Topic   string
	Key     []byte // nil is null
	Value   []byte // nil is null
	Headers []causal.Header
}

const answerHint = `return {state, emit: [{to: "topic", key, value}]}`

// ReadAnswer reads a guest's result, and checks it against the document. key is the record's, which
// an emission has that names none. What is no answer is a *runtime.Failure of KindOutput.
func ReadAnswer(plan *pipeline.Stage, key []byte, result runtime.Result) (Answer, *runtime.Failure) {
	if len(result.Out) == 0 {
		if plan.Entry == runtime.EntryFold && !result.Null {
			return Answer{}, badAnswer("the fold returned nothing", answerHint)
		}
		return Answer{}, nil
	}
	if len(result.Out) > 1 {
		return Answer{}, badAnswer(fmt.Sprintf("the guest returned %d answers", len(result.Out)), "return one: it holds a list of emissions")
	}
	r := answerReader{plan: plan, key: key}
	answer := r.read(result.Out[0].Payload)
	return answer, r.failed
}

func badAnswer(message, hint string) *runtime.Failure {
	return &runtime.Failure{Kind: runtime.KindOutput, Deterministic: true, Message: runtime.Cut(message, runtime.MaxReason), Hint: hint}
}

// answerReader reads one answer. The first fault sticks.
type answerReader struct {
	plan   *pipeline.Stage
	key    []byte
	failed *runtime.Failure
}

func (r *answerReader) fail(hint, format string, args ...any) {
	if r.failed == nil {
		r.failed = badAnswer(fmt.Sprintf(format, args...), hint)
	}
}

func (r *answerReader) read(text []byte) (a Answer) {
	if isNull(text) {
		return a
	}
	if r.plan.Entry != runtime.EntryFold {
		if bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) {
			a.Emit = r.emissions([]json.RawMessage{text})
			return a
		}
		a.Emit = r.list(text, "what the handler returned")
		return a
	}
	fields := r.object(text, "what the fold returned", answerHint, "state", "emit")
	state, given := fields["state"]
	if !given {
		r.fail("give the state back: null deletes it", "what the fold returned has no state")
	}
	if !isNull(state) {
		a.State = state
	}
	if emit := fields["emit"]; !isNull(emit) {
		a.Emit = r.list(emit, "emit")
	}
	return a
}

func isNull(text []byte) bool { return text == nil || string(bytes.TrimSpace(text)) == "null" }

func (r *answerReader) list(text []byte, noun string) []Emission {
	var list []json.RawMessage
	if err := json.Unmarshal(text, &list); err != nil {
		r.fail(`a list of {to: "topic", key, value}`, "%s is no list of emissions", noun)
	}
	return r.emissions(list)
}

func (r *answerReader) emissions(list []json.RawMessage) (out []Emission) {
	if most := r.plan.Settings.Budget.Outputs; most > 0 && len(list) > most {
		r.fail("emit fewer, or raise budget.outputs", "the guest emitted too many records")
		r.failed.Measured, r.failed.Limit = int64(len(list)), int64(most)
		return nil
	}
	for i, text := range list {
		if r.failed != nil {
			return nil
		}
		out = append(out, r.emission("emission "+strconv.Itoa(i), text))
	}
	return out
}

func (r *answerReader) emission(noun string, text []byte) (e Emission) {
	fields := r.object(text, noun, "an emission has to, key, value and headers", "to", "key", "value", "headers")
	if r.failed != nil {
		return e
	}
	output := r.output(noun, fields["to"])
	if r.failed != nil {
		return e
	}
	e.Topic, e.Key = output.Topic, r.key
	if key, given := fields["key"]; given {
		e.Key = r.bytes(noun+": key", key)
	}
	value, given := fields["value"]
	if !given {
		r.fail("give a value: null is one, too", "%s has no value", noun)
	}
	e.Value = r.value(noun+": value", value, output.Encoder)
	e.Headers = r.headers(noun, fields["headers"])
	return e
}

func (r *answerReader) output(noun string, text []byte) pipeline.StageOutput {
	var name string
	if err := json.Unmarshal(text, &name); err != nil || isNull(text) {
		r.fail(`name one of the outputs: {to: "topic", …}`, "%s does not say where it goes", noun)
		return pipeline.StageOutput{}
	}
	for _, output := range r.plan.Outputs {
		if output.Topic == name {
			return output
		}
	}
	r.fail("add it to outputs in the document, or correct the name", "%s goes to %q, which is not among the outputs", noun, runtime.Cut(name, 64))
	return pipeline.StageOutput{}
}

// object reads an object of known keys.
func (r *answerReader) object(text []byte, noun, hint string, known ...string) map[string]json.RawMessage {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil || fields == nil {
		r.fail(hint, "%s is no object", noun)
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if !slices.Contains(known, name) {
			r.fail(hint, "%s has an unknown %q", noun, runtime.Cut(name, 64))
		}
	}
	return fields
}

// bytes reads what appendText writes.
func (r *answerReader) bytes(noun string, text []byte) []byte {
	if isNull(text) {
		return nil
	}
	var s string
	if json.Unmarshal(text, &s) == nil {
		return []byte(s)
	}
	var wrapped map[string]*string
	if json.Unmarshal(text, &wrapped) == nil && len(wrapped) == 1 && wrapped["base64"] != nil {
		if b, err := base64.StdEncoding.DecodeString(*wrapped["base64"]); err == nil {
			return append([]byte{}, b...)
		}
	}
	r.fail(`a string, {base64: "…"} for other bytes, or null`, "%s is neither text nor bytes", noun)
	return nil
}

func (r *answerReader) value(noun string, text []byte, encoder string) []byte {
	if encoder == codec.NameRaw {
		return r.bytes(noun, text)
	}
	if isNull(text) {
		return nil
	}
	encoded, err := codec.All()[encoder].Encode(runtime.Message{Payload: text, Codec: codec.NameJSON})
	if err != nil {
		r.fail("", "%s: %v", noun, err)
	}
	return encoded
}

// headers are in the order of their names, so that equal answers are equal records.
func (r *answerReader) headers(noun string, text []byte) (out []causal.Header) {
	if isNull(text) {
		return nil
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil {
		r.fail("headers are an object of strings", "%s: headers are no object", noun)
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if name == causal.HeaderClock {
			r.fail("take another name", "%s: the header name %s belongs to the protocol", noun, name)
		}
		out = append(out, causal.Header{Name: name, Value: r.bytes(noun+": header "+runtime.Cut(name, 64), fields[name])})
	}
	return out
}
