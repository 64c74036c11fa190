package stage

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/leat-run/leat/engine/causal"
	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/runtime"
	"github.com/leat-run/leat/store"
)

// blockage is a record at the head of its channel on which the guest failed.
type blockage struct {
	at      causal.Coordinate
	failure *runtime.Failure
	tries   int
	since   time.Time
	until   time.Time // when it is tried again
}

// stuck says that it is not tried again in this run: it would fail in the same way, or a batch
// has tried it often enough.
func (b *blockage) stuck(mode pipeline.Mode) bool {
	return b.failure.Deterministic || mode == pipeline.ModeBatch && b.tries >= batchTries
}

// Blocked is a channel that a failure blocks.
type Blocked struct {
	Stage         string       `json:"stage"`
	Topic         string       `json:"topic"`
	Partition     int32        `json:"partition"`
	Offset        int64        `json:"offset"`
	BlockedMS     int64        `json:"blocked_ms"`
	Tries         int          `json:"tries"`
	Kind          runtime.Kind `json:"kind"`
	Reason        string       `json:"reason"`
	Deterministic bool         `json:"deterministic"`
}

// failed decides what becomes of a record on which the guest failed: a dead letter where the
// document says so and the failure is certain to come again, else its channel is blocked.
func (t *task) failed(r causal.Record, f *runtime.Failure, usage runtime.Usage) error {
	if f.Deterministic && t.stage.plan.OnFailure == pipeline.FailureDeadLetter {
		return t.passOver(r, f, usage)
	}
	return t.block(r, f)
}

func (t *task) block(r causal.Record, f *runtime.Failure) error {
	now := t.stage.opt.Now()
	b := t.blocked[r.Channel]
	if b == nil || b.at != r.At() {
		b = &blockage{at: r.At(), since: now}
		t.blocked[r.Channel] = b
	}
	b.failure = f
	pause := retryMost
	if b.tries < 9 { // beyond, the shift is past retryMost
		pause = min(retryFirst<<b.tries, retryMost)
	}
	b.tries++
	b.until = now.Add(pause)
	if err := t.protocol.Block(r.Channel); err != nil {
		return err
	}
	t.step.delivered++ // so that a step of failures ends, too
	next := "never: it would fail in the same way; mend the guest, and start again"
	if !b.stuck(t.stage.plan.Mode) {
		next = pause.String()
	}
	t.stage.opt.Logger.Warn("stage: the guest failed: its channel is blocked", "record", t.stage.place(b.at),
		"kind", f.Kind, "reason", f.Message, "where", f.Place(), "tries", b.tries, "next_try_in", next)
	return nil
}

// unblock lets the channels go on whose next try is due.
func (t *task) unblock() {
	now := t.stage.opt.Now()
	for _, in := range t.inputs {
		b := t.blocked[in.channel]
		if b != nil && !b.stuck(t.stage.plan.Mode) && !now.Before(b.until) {
			_ = t.protocol.Unblock(in.channel) // it fails only where the task has, which the next call says
		}
	}
}

func (t *task) blockages() (out []Blocked) {
	now := t.stage.opt.Now()
	for _, b := range t.blocked {
		out = append(out, Blocked{
			Stage: t.id.Stage, Topic: t.stage.topicName(b.at.Channel.Topic), Partition: b.at.Channel.Partition, Offset: b.at.Offset,
			BlockedMS: now.Sub(b.since).Milliseconds(), Tries: b.tries, Kind: b.failure.Kind,
			Reason: b.failure.Message, Deterministic: b.failure.Deterministic,
		})
	}
	slices.SortFunc(out, func(a, b Blocked) int { return cmp.Compare(a.Topic, b.Topic) })
	return out
}

// Blocked lists the channels that a failure blocks, by partition and topic.
func (s *Stage) Blocked() (out []Blocked) {
	for _, t := range s.tasks {
		out = append(out, t.snapshot().blocked...)
	}
	return out
}

// passOver makes the record a dead letter in this step. The protocol takes it as delivered: what depends on
// it goes on, and whatever is emitted from here on still claims it.
func (t *task) passOver(r causal.Record, f *runtime.Failure, usage runtime.Usage) error {
	if err := t.protocol.Delivered(); err != nil {
		return err
	}
	letter := t.letter(r, f, usage)
	t.step.letters = append(t.step.letters, letter)
	t.step.delivered++
	t.step.bytes += len(r.Key) + len(r.Value) + headerBytes(r.Headers)
	delete(t.blocked, r.Channel)
	t.report(Delivery{At: r.At(), Record: r, Usage: usage, Letter: &letter})
	return nil
}

// decodeFault marks a failure of the decoder: its class is not the guest's.
type decodeFault struct{ error }

func decodeFailure(err error) *runtime.Failure {
	return &runtime.Failure{
		Kind: runtime.KindInput, Deterministic: true, Message: runtime.Cut(fmt.Sprintf("the value cannot be decoded: %v", err), runtime.MaxReason),
		Hint: "correct who writes the topic, or give the input another decoder", Cause: decodeFault{err},
	}
}

// letter is the record of a failure. Its id is a function of the stage and the record's place.
func (t *task) letter(r causal.Record, f *runtime.Failure, usage runtime.Usage) store.DeadLetter {
	s, now := t.stage, t.stage.opt.Now().UTC()
	class := store.ClassTransform
	if errors.As(f, new(decodeFault)) {
		class = store.ClassDecode
	}
	return store.DeadLetter{
		ID:       fmt.Sprintf("%s-%.8s-%d-%d", t.id.Stage, r.Channel.Topic, r.Channel.Partition, r.Offset),
		Pipeline: t.id.Stage, Node: string(s.plan.Entry), Edge: s.topicName(r.Channel.Topic) + "->" + string(s.plan.Entry), Flavor: s.plan.Flavor,
		Class: class, Failure: f, Reason: runtime.Cut(f.Message, runtime.MaxReason), Attempts: 1, CreatedAt: now, FailedAt: now,
		CodeDigest: s.plan.Module.Digest(), Usage: usage, Message: s.letterMessage(r),
	}
}

// Names of a stage's letters' meta.
const (
	metaTopicID   = "leat.topic_id"
	metaPartition = "leat.partition"
	metaOffset    = "leat.offset"
	metaHeaders   = "leat.headers"
	metaNull      = "leat.null"
)

// letterMessage keeps a record as a message from which RecordOf makes it again.
func (s *Stage) letterMessage(r causal.Record) runtime.Message {
	headers, err := json.Marshal(r.Headers)
	if err != nil {
		panic("stage: headers are not JSON: " + err.Error()) // they are strings and bytes
	}
	meta := runtime.Meta{
		metaTopicID: r.Channel.Topic.String(), metaPartition: fmt.Sprint(r.Channel.Partition),
		metaOffset: fmt.Sprint(r.Offset), metaHeaders: string(headers),
	}
	if r.Value == nil {
		meta = meta.With(metaNull, "true")
	}
	return runtime.Message{
		ID: r.At().String(), Key: r.Key, Payload: r.Value, Codec: s.decoder[r.Channel.Topic], Meta: meta,
		Source: s.topicName(r.Channel.Topic), Ingested: time.UnixMilli(r.Timestamp).UTC(),
	}
}
