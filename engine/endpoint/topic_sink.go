package endpoint

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"

	"github.com/leat-run/leat/engine"
	"github.com/leat-run/leat/engine/causal"
	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/engine/topic"
	"github.com/leat-run/leat/runtime"
	"github.com/leat-run/leat/store"
)

// TopicSinkSpec describes the keys of the topic sink.
func TopicSinkSpec() pipeline.Spec {
	return pipeline.Spec{
		Doc: "Appends to a topic of the data dir's log. The key is the sink's order_key, else the message's; the clock claims what the sink has sent, and the records that its messages came from.",
		Fields: []pipeline.Field{
			{Name: "name", Type: pipeline.String, Required: true, Doc: "the topic"},
		},
	}
}

// truncateEvery is after how many batches a topic sink forgets claims that no log holds.
const truncateEvery = 4096

// TopicSink appends to a topic. It belongs to one goroutine.
type TopicSink struct {
	topic    store.Topic
	producer *topic.Producer
	log      *slog.Logger // nil drops
	batches  int
}

// NewTopicSink finds the topic.
func NewTopicSink(env engine.SinkEnv, log *store.Log) (*TopicSink, error) {
	t, err := findTopic(log, env.Config.String("name"))
	if err != nil {
		return nil, err
	}
	s := &TopicSink{topic: t, producer: topic.NewProducer(log), log: env.Log}
	if err := s.producer.Continue(t); err != nil {
		return nil, fmt.Errorf("topic sink: %s: %w", t.Name, err)
	}
	return s, nil
}

// Write appends the batch as one. A crash after it and before the commit of its messages has them appended
// again: at least once, like any sink.
func (s *TopicSink) Write(ctx context.Context, batch []engine.Record) error {
	records := make([]topic.Record, len(batch))
	for i, b := range batch {
		source, ok, err := observed(b.Message)
		if err != nil {
			return fmt.Errorf("topic sink: message %s: %w", b.Message.ID, err)
		}
		if ok {
			s.producer.Observe(source)
		}
		records[i] = s.record(b)
	}
	if s.batches++; s.batches%truncateEvery == 0 {
		if _, err := s.producer.Truncate(); err != nil && s.log != nil {
			s.log.Warn("topic sink: truncation skipped", "topic", s.topic.Name, "error", err)
		}
	}
	if _, err := s.producer.Send(ctx, records...); err != nil {
		return fmt.Errorf("topic sink: %s: %w", s.topic.Name, err)
	}
	return nil
}

func (s *TopicSink) record(b engine.Record) topic.Record {
	r := topic.Record{Topic: s.topic.ID, Key: b.Message.Key, Value: b.Bytes}
	if b.OrderKey != "" {
		r.Key = []byte(b.OrderKey)
	}
	switch {
	case b.Message.Meta[runtime.MetaTopicNull] == "true" && string(b.Bytes) == "null":
		r.Value = nil
	case r.Value == nil:
		r.Value = []byte{} // an empty payload is no null
	}
	r.Partition = store.PartitionOf(r.Key, s.topic.Partitions)
	for _, name := range slices.Sorted(maps.Keys(b.Message.Meta)) {
		if !strings.HasPrefix(name, runtime.MetaReserved) && name != causal.HeaderClock {
			r.Headers = append(r.Headers, causal.Header{Name: name, Value: []byte(b.Message.Meta[name])})
		}
	}
	return r
}

// Close leaves the log to who opened it.
func (s *TopicSink) Close() error { return nil }
