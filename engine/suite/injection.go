package suite

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/leat-run/leat/engine"
	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/engine/pipeline/document"
	"github.com/leat-run/leat/runtime"
)

// maxSample bounds a sample's file.
const maxSample = 64 << 20

// injection reads one entry of `inject`.
func (s *Suite) injection(e document.Entry, at reference) injection {
	o := e.Object
	in := injection{
		place: e.At, node: at, id: o.String("id"), meta: s.metaOf(o), codec: o.String("codec"), ingested: s.time(o, "ingested"),
	}
	if o.Written("at") {
		in.node, in.overrides = reference{o.String("at"), o.ValueAt("at")}, true
	}
	if o.Written("key") {
		in.key = []byte(o.String("key"))
	}
	if in.sample = s.sampleOf(o); in.sample == "" {
		return in
	}
	in.pathAt = o.ValueAt(in.sample)
	switch in.sample {
	case "payload":
		in.bytes = o.JSON("payload")
	case "raw":
		in.bytes = []byte(o.String("raw"))
	case "base64":
		var err error
		if in.bytes, err = base64.StdEncoding.DecodeString(o.String("base64")); err != nil {
			s.report.Errorf(in.pathAt, "bad-value", "standard base64 with padding", "base64: %v", err)
		}
	default:
		in.path = o.String(in.sample)
	}
	return in
}

// sampleOf returns the one key that says what is injected.
func (s *Suite) sampleOf(o *document.Object) string {
	var written []string
	for _, key := range samples {
		if o.Written(key) {
			written = append(written, key)
		}
	}
	switch len(written) {
	case 1:
		return written[0]
	case 0:
		s.report.Errorf(o.At, "missing-key", document.List("add one of: ", slices.Values(samples)), "the injection says no message")
	default:
		s.report.Errorf(o.KeyAt(written[1]), "misplaced-key", "keep one, or make two injections", "the injection has both %s and %s", written[0], written[1])
	}
	return ""
}

// messages turns what a case injects into the engine's injections, numbered in order. What is
// wrong is reported.
func (s *Suite) messages(c *Case, plan *pipeline.Plan) []engine.Injection {
	var out []engine.Injection
	for i := range c.inject {
		in := &c.inject[i]
		for _, one := range s.expandEntry(in, plan) {
			if one.Message.ID == "" {
				one.Message.ID = fmt.Sprintf("m-%d", len(out)+1)
			}
			out = append(out, one)
		}
	}
	seen := map[string]bool{}
	for _, one := range out {
		if seen[one.Message.ID] {
			s.report.Errorf(document.Place{Line: c.Line, Column: 1}, "duplicate-name", "give each message an id of its own", "two messages of the case %s have the id %s", c.Name, one.Message.ID)
		}
		seen[one.Message.ID] = true
	}
	return out
}

// expandEntry is one entry of inject as messages.
func (s *Suite) expandEntry(in *injection, plan *pipeline.Plan) []engine.Injection {
	if in.sample == "letter" {
		return s.letters(in, plan)
	}
	node := s.entry(in, plan)
	if node == "" {
		return nil
	}
	base := runtime.Message{ID: in.id, Key: in.key, Meta: in.meta, Ingested: in.ingested, Codec: in.codec, Source: sourceOf(plan, node)}
	if base.Codec == "" {
		base.Codec = decoderOf(plan, node)
	}
	var out []engine.Injection
	for _, text := range s.texts(in) {
		message := base
		message.Payload = text
		out = append(out, engine.Injection{Node: node, Message: message})
	}
	if len(out) > 1 && in.id != "" {
		s.report.Errorf(in.place, "misplaced-key", "leave the id out", "one id cannot name the %d messages of %s", len(out), filepath.Base(in.path))
	}
	return out
}

// texts are the bytes of the messages that an entry of inject stands for.
func (s *Suite) texts(in *injection) [][]byte {
	if in.path == "" {
		return [][]byte{in.bytes}
	}
	text := s.sampleFile(in)
	if in.sample == "file" {
		return [][]byte{bytes.TrimRight(text, "\r\n")}
	}
	var out [][]byte
	for line := range bytes.Lines(text) {
		if line = bytes.TrimRight(line, "\r\n"); len(line) > 0 {
			out = append(out, line)
		}
	}
	return out
}

// sampleFile reads a sample; nil after reporting why not. One of many messages that has none is an error:
// a case that injects nothing shows nothing, and would pass.
func (s *Suite) sampleFile(in *injection) []byte {
	text, err := pipeline.ReadFile(in.path, maxSample)
	switch {
	case err != nil:
		s.report.Errorf(in.pathAt, "no-file", "paths are relative to the suite", "%s: %s cannot be read: %v", in.sample, filepath.Base(in.path), err)
	case in.sample != "file" && len(bytes.Trim(text, "\r\n")) == 0:
		s.report.Errorf(in.pathAt, "bad-value", "take a file that has some", "%s: %s holds no message", in.sample, filepath.Base(in.path))
	}
	return text
}

// exported is what a suite reads of a dead letter's JSON.
type exported struct {
	Node          string            `json:"node"`
	MessageID     string            `json:"message_id"`
	Source        string            `json:"source"`
	Payload       json.RawMessage   `json:"payload"`
	PayloadBase64 []byte            `json:"payload_base64"`
	PayloadLength int64             `json:"payload_length"` // of the whole payload, where it was cut
	Meta          map[string]string `json:"meta"`
	Codec         string            `json:"codec"`
}

// letters are the dead letters of a file as injections INTO the nodes that failed.
func (s *Suite) letters(in *injection, plan *pipeline.Plan) (out []engine.Injection) {
	decoder := json.NewDecoder(bytes.NewReader(s.sampleFile(in)))
	for {
		var l exported
		if err := decoder.Decode(&l); errors.Is(err, io.EOF) {
			return out
		} else if err != nil {
			s.report.Errorf(in.pathAt, "bad-value", "export it with `leat dlq list FILE --json`", "letter: dead letter %d is no JSON: %v", len(out)+1, err)
			return out
		}
		if l.PayloadLength != 0 {
			s.report.Errorf(in.pathAt, "bad-value", "take the message from its source", "letter: of dead letter %d only the start of its payload was kept", len(out)+1)
			return out
		}
		node := reference{l.Node, in.pathAt}
		if in.overrides {
			node = in.node
		}
		if !s.known(node, nodesOf(plan)) {
			return out
		}
		m := runtime.Message{ID: l.MessageID, Source: l.Source, Payload: l.Payload, Meta: l.Meta, Codec: l.Codec, Ingested: in.ingested, Key: in.key}
		if m.Payload == nil {
			m.Payload = l.PayloadBase64
		}
		out = append(out, engine.Injection{Node: node.name, Message: m})
	}
}

// entry is the node that an injection enters at: as it says, else the only source.
func (s *Suite) entry(in *injection, plan *pipeline.Plan) string {
	if in.node.name != "" {
		if !s.known(in.node, nodesOf(plan)) {
			return ""
		}
		return in.node.name
	}
	if len(plan.Sources) != 1 {
		s.report.Errorf(in.place, "missing-key", document.List("add at: with one of ", slices.Values(nodesOf(plan))), "the pipeline has %d sources: the injection does not say where it enters", len(plan.Sources))
		return ""
	}
	return plan.Sources[0].Name
}

// known reports a node that does not exist.
func (s *Suite) known(node reference, names []string) bool {
	if slices.Contains(names, node.name) {
		return true
	}
	s.report.Errorf(node.at, "unknown-node", document.DidYouMean(node.name, slices.Values(names)), "the pipeline %s has no such node here: %q", filepath.Base(s.Pipeline), node.name)
	return false
}

func nodesOf(plan *pipeline.Plan) (names []string) {
	for _, n := range plan.Sources {
		names = append(names, n.Name)
	}
	return append(names, capturable(plan)...)
}

// capturable are the nodes whose messages can be captured.
func capturable(plan *pipeline.Plan) (names []string) {
	for _, n := range plan.Transforms {
		names = append(names, n.Name)
	}
	for _, n := range plan.Sinks {
		names = append(names, n.Name)
	}
	return names
}

// sourceOf is the first source whose messages reach the node, or the node itself.
func sourceOf(plan *pipeline.Plan, node string) string {
	for range len(plan.Edges) + 1 {
		i := slices.IndexFunc(plan.Edges, func(e *pipeline.Edge) bool { return e.To == node })
		if i < 0 {
			break
		}
		node = plan.Edges[i].From
	}
	return node
}

// decoderOf is what the payloads at a node are.
func decoderOf(plan *pipeline.Plan, node string) string {
	name := sourceOf(plan, node)
	for _, source := range plan.Sources {
		if source.Name == name {
			return source.Decoder
		}
	}
	return "json"
}
