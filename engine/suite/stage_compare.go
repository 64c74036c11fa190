package suite

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/leat-run/leat/engine/causal"
	"github.com/leat-run/leat/engine/codec"
	"github.com/leat-run/leat/engine/stage"
	"github.com/leat-run/leat/runtime"
	"github.com/leat-run/leat/store"
)

// compareStage returns how what the run of a stage showed differs from what its case expects.
func (r *runner) compareStage(c *Case, o *stageObserved) (string, error) {
	if why := o.ended(r.suite.Timeout); why != "" {
		return why, nil
	}
	var v verdict
	x := &c.outcome
	if x.hasDelivered {
		var want []string
		for _, p := range x.delivered {
			want = append(want, p.String())
		}
		v.differs("delivered", lines(want), lines(o.delivered))
	}
	v.letters(x.letters, o.letters)
	v.blocked(x.blocked, o.outcome.Blocked)
	v.held(x.held, o.outcome.Holds)
	for _, e := range x.emitted {
		if err := r.compareEmitted(&v, c, e, o); err != nil {
			return "", err
		}
	}
	states, err := o.states(r.stage.Name)
	if err != nil {
		return "", err
	}
	for _, key := range slices.Sorted(maps.Keys(x.states)) {
		got := json.RawMessage(states[key])
		if got == nil {
			got = json.RawMessage("null")
		}
		v.differs("state."+key, canonicalList([]json.RawMessage{x.states[key]}), canonicalList([]json.RawMessage{got}))
	}
	switch {
	case x.fuel == 0:
	case len(o.delivered) == 0 && len(o.letters) == 0:
		v.addf("fuel: the guest took no record of the case")
	case o.fuel.fuel > x.fuel:
		v.addf("fuel: expected at most %d, %s spent %d", x.fuel, o.fuel.message, o.fuel.fuel)
	}
	return strings.Join(v.problems, "\n"), nil
}

// lines is a list as a suite writes it.
func lines(list []string) string {
	var b strings.Builder
	for _, text := range list {
		b.WriteString("- " + text + "\n")
	}
	return b.String()
}

func (r *runner) compareEmitted(v *verdict, c *Case, e emitted, o *stageObserved) error {
	appended, err := o.emitted(e.node.name)
	if err != nil {
		return err
	}
	encoder := codec.NameJSON
	for _, out := range r.stage.Outputs {
		if out.Topic == e.node.name {
			encoder = out.Encoder
		}
	}
	records, after := make([]record, len(appended)), make([]json.RawMessage, len(appended))
	for i, a := range appended {
		records[i] = emittedRecord(a, encoder)
		after[i] = encoded(o.claims(a.Clock))
	}
	v.capture(e.capture, records)
	if e.hasAfter {
		v.differs("emitted."+e.node.name+".after", canonicalList(e.after), canonicalList(after))
	}
	if e.isSnap {
		return r.snapshot(v, c, e.capture, records)
	}
	return nil
}

// emittedRecord is a record as captures compare it: its headers are the annotations.
func emittedRecord(r causal.Record, encoder string) record {
	out := record{message: runtime.Message{Key: r.Key, Codec: encoder, Meta: runtime.Meta{}}, bytes: r.Value}
	if r.Value == nil {
		out.message.Codec, out.bytes = codec.NameJSON, []byte("null")
	}
	for _, h := range r.Headers {
		out.message.Meta = out.message.Meta.With(h.Name, string(h.Value))
	}
	return out
}

// claims are what a clock says, sorted.
func (o *stageObserved) claims(clock causal.Clock) []string {
	out := []string{}
	for at := range clock.All() {
		t, _ := o.log.TopicByID(store.TopicID(at.Channel.Topic))
		out = append(out, spotText(t.Name, at.Channel.Partition, at.Offset))
	}
	slices.Sort(out)
	return out
}

// held compares the heads that wait. Of one that is expected only what the suite says is compared.
func (v *verdict) held(want []heldRecord, got []stage.Hold) {
	var wanted, had []string
	for _, pattern := range want {
		wanted = append(wanted, pattern.String())
	}
	for _, h := range got {
		one := heldRecord{at: spotOf(h.Topic, h.Partition, h.Offset), hasWaits: true, hasBehind: true, behind: h.WaitingBehind}
		for _, m := range h.Missing {
			one.waitsFor = append(one.waitsFor, spotText(m.Topic, m.Partition, m.Offset))
		}
		for _, pattern := range want {
			if pattern.at.String() == one.at.String() {
				one.hasWaits, one.hasBehind = pattern.hasWaits, pattern.hasBehind
			}
		}
		had = append(had, one.String())
	}
	v.differs("held", lines(sorted(wanted)), lines(sorted(had)))
}

func spotOf(topic string, partition int32, offset int64) spot {
	return spot{topic: reference{name: topic}, partition: partition, offset: offset}
}

func sorted(list []string) []string {
	slices.Sort(list)
	return list
}

func (h heldRecord) String() string {
	text := "{at: " + h.at.String()
	if h.hasWaits {
		text += ", waits_for: [" + strings.Join(sorted(slices.Clone(h.waitsFor)), ", ") + "]"
	}
	if h.hasBehind {
		text += fmt.Sprintf(", behind: %d", h.behind)
	}
	return text + "}"
}

// blocked compares the records that block their channels, likewise.
func (v *verdict) blocked(want []blockedRecord, got []stage.Blocked) {
	var wanted, had []string
	for _, pattern := range want {
		wanted = append(wanted, pattern.String())
	}
	for _, b := range got {
		one := blockedRecord{spotOf(b.Topic, b.Partition, b.Offset), string(b.Kind), firstLine(b.Reason)}
		for _, p := range want {
			if p.at.String() == one.at.String() && (p.kind == "" || p.kind == one.kind) && strings.Contains(b.Reason, p.reason) {
				one = p
			}
		}
		had = append(had, one.String())
	}
	v.differs("blocked", lines(sorted(wanted)), lines(sorted(had)))
}

func (b blockedRecord) String() string {
	text := "{at: " + b.at.String()
	if b.kind != "" {
		text += ", kind: " + b.kind
	}
	if b.reason != "" {
		text += ", reason: " + string(encoded(b.reason))
	}
	return text + "}"
}
