package suite

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/leat-run/leat/engine/causal"
	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/engine/pipeline/document"
)

// arrival is one record that arrives at a stage.
type arrival struct {
	topic     reference
	partition int32
	byKey     bool // the key decides on the partition
	key       []byte
	value     []byte
	headers   []causal.Header
	after     []spot
}

// spot is a record's place, TOPIC:PARTITION:OFFSET.
type spot struct {
	topic     reference
	partition int32
	offset    int64
}

func spotText(topic string, partition int32, offset int64) string {
	return fmt.Sprintf("%s:%d:%d", topic, partition, offset)
}

func (p spot) String() string { return spotText(p.topic.name, p.partition, p.offset) }

// stageExpectation is what must come of a case of a stage.
type stageExpectation struct {
	delivered    []spot
	hasDelivered bool
	emitted      []emitted
	states       map[string]json.RawMessage
	held         []heldRecord
	blocked      []blockedRecord
	letters      []letter
	fuel         int64 // 0 is not checked
}

type emitted struct {
	capture
	after    []json.RawMessage
	hasAfter bool
}

// heldRecord is a pattern of a record that waits; what is not given is not compared.
type heldRecord struct {
	at        spot
	waitsFor  []string
	hasWaits  bool
	behind    int64
	hasBehind bool
}

// blockedRecord is a pattern of a record that blocks its channel; what is empty is not compared.
type blockedRecord struct {
	at           spot
	kind, reason string
}

func (s *Suite) stageCase(e document.Entry) *Case {
	c := &Case{Name: e.Name, Doc: e.Object.String("doc"), Line: e.At.Line}
	if e.Object.Empty("arrive") {
		s.report.Errorf(e.Object.KeyAt("arrive"), "missing-key", "write arrive: [{topic: orders, value: {…}}]", "at the case %s nothing arrives", e.Name)
	}
	for _, entry := range e.Object.Entries("arrive") {
		c.arrive = append(c.arrive, s.arrival(entry.Object))
	}
	c.outcome = s.stageExpectation(e.Object.Object("expect"))
	return c
}

func (s *Suite) arrival(o *document.Object) arrival {
	a := arrival{
		topic: reference{o.String("topic"), o.ValueAt("topic")}, partition: int32(o.Int("partition")), byKey: !o.Written("partition"),
		after: s.spots(o, "after"),
	}
	if o.Written("key") {
		a.key = []byte(o.String("key"))
	}
	headers := o.Values("headers")
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		text, ok := headers[name].(string)
		if !ok || name == causal.HeaderClock {
			s.report.Errorf(o.ValueAt("headers"), "bad-value", "give texts, by names that are not the protocol's", "headers.%s cannot be a header", name)
		}
		a.headers = append(a.headers, causal.Header{Name: name, Value: []byte(text)})
	}
	a.value = s.arrivedValue(o)
	return a
}

func (s *Suite) arrivedValue(o *document.Object) []byte {
	var written []string
	for _, key := range arrivedValues {
		if o.Written(key) {
			written = append(written, key)
		}
	}
	if len(written) != 1 {
		s.report.Errorf(o.At, "missing-key", "write one of value, raw and base64; value: null is a record without one", "the arrival has %d values", len(written))
		return nil
	}
	switch written[0] {
	case "value":
		if text := o.JSON("value"); string(text) != "null" {
			return text
		}
		return nil
	case "raw":
		return []byte(o.String("raw"))
	default:
		b, err := base64.StdEncoding.DecodeString(o.String("base64"))
		if err != nil {
			s.report.Errorf(o.ValueAt("base64"), "bad-value", "standard base64 with padding", "base64: %v", err)
		}
		return b
	}
}

func (s *Suite) spots(o *document.Object, key string) (out []spot) {
	for _, text := range o.Strings(key) {
		out = append(out, s.spot(text, o.ValueAt(key)))
	}
	return out
}

// spot reads a place as `leat topic append --after` takes it.
func (s *Suite) spot(text string, at document.Place) spot {
	parts := strings.Split(text, ":")
	p := spot{topic: reference{parts[0], at}}
	if len(parts) == 3 {
		partition, bad := strconv.ParseUint(parts[1], 10, 31)
		offset, worse := strconv.ParseUint(parts[2], 10, 63)
		if p.partition, p.offset = int32(partition), int64(offset); bad == nil && worse == nil {
			return p
		}
	}
	s.report.Errorf(at, "bad-value", "write TOPIC:PARTITION:OFFSET, as in orders:0:0", "%q is no record's place", text)
	p.topic.name = ""
	return p
}

func (s *Suite) stageExpectation(o *document.Object) (x stageExpectation) {
	x.delivered, x.hasDelivered, x.fuel = s.spots(o, "delivered"), o.Written("delivered"), o.Int("fuel")
	for _, e := range o.Entries("emitted") {
		one := emitted{capture: s.captureOf(e, "emitted", "headers")}
		one.after, one.hasAfter = s.elements(e.Object, "after")
		x.emitted = append(x.emitted, one)
	}
	if text := o.JSON("state"); text != nil && json.Unmarshal(text, &x.states) != nil {
		s.report.Errorf(o.ValueAt("state"), "wrong-type", "write state: {o-1: {…}, o-2: null}", "state: expected a state for each key")
	}
	for _, e := range o.Entries("held") {
		x.held = append(x.held, heldRecord{
			at: s.spot(e.Object.String("at"), e.Object.ValueAt("at")), waitsFor: e.Object.Strings("waits_for"), hasWaits: e.Object.Written("waits_for"),
			behind: e.Object.Int("behind"), hasBehind: e.Object.Written("behind"),
		})
	}
	for _, e := range o.Entries("blocked") {
		x.blocked = append(x.blocked, blockedRecord{s.spot(e.Object.String("at"), e.Object.ValueAt("at")), e.Object.String("kind"), e.Object.String("reason")})
	}
	x.letters = lettersOf(o)
	return x
}

// bindStage reports what a case names that the stage does not have.
func (s *Suite) bindStage(c *Case, plan *pipeline.Stage) {
	var inputs, outputs []string
	for _, in := range plan.Inputs {
		inputs = append(inputs, in.Topic)
	}
	for _, out := range plan.Outputs {
		outputs = append(outputs, out.Topic)
	}
	both := append(slices.Clone(inputs), outputs...)
	spots := slices.Clone(c.outcome.delivered)
	for _, a := range c.arrive {
		s.knownTopic(a.topic, a.partition, inputs)
		spots = append(spots, a.after...)
	}
	for _, e := range c.outcome.emitted {
		s.knownTopic(e.node, 0, outputs)
	}
	for _, h := range c.outcome.held {
		spots = append(spots, h.at)
	}
	for _, b := range c.outcome.blocked {
		spots = append(spots, b.at)
	}
	for _, p := range spots {
		s.knownTopic(p.topic, p.partition, both)
	}
}

func (s *Suite) knownTopic(topic reference, partition int32, names []string) {
	switch {
	case topic.name == "": // reported
	case !slices.Contains(names, topic.name):
		s.report.Errorf(topic.at, "unknown-node", document.DidYouMean(topic.name, slices.Values(names)), "the stage %s has no such topic here: %q", filepath.Base(s.Pipeline), topic.name)
	case int(partition) >= s.Partitions:
		s.report.Errorf(topic.at, "bad-value", "give a smaller one, or raise partitions of the suite", "%s has no partition %d", topic.name, partition)
	}
}
