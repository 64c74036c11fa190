package endpoint

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strconv"
	"sync"
	"unicode/utf8"

	"github.com/leat-run/leat/engine"
	"github.com/leat-run/leat/engine/causal"
	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/engine/topic"
	"github.com/leat-run/leat/runtime"
	"github.com/leat-run/leat/store"
)

// TopicSourceSpec describes the keys of the topic source.
func TopicSourceSpec() pipeline.Spec {
	return pipeline.Spec{
		Doc:    "Reads a topic of the data dir's log, all partitions; headers that are text become meta, beside the record's topic, partition and offset; its place and clock are kept for a topic sink.",
		Finite: func(c pipeline.Config) bool { return c.String("mode") == "batch" },
		Fields: []pipeline.Field{
			{Name: "name", Type: pipeline.String, Required: true, Doc: "the topic"},
			{Name: "start", Type: pipeline.String, Default: "earliest", Enum: []string{"earliest", "latest"},
				Doc: "where to begin in a topic that no earlier run has read"},
			{Name: "mode", Type: pipeline.String, Default: "tail", Enum: []string{"batch", "tail"},
				Doc: "batch ends when the topic is read and nothing else in the process writes to topics; tail goes on"},
		},
	}
}

// topicGroup is how many records one group has at most.
const topicGroup = 256

// TopicSource emits the records of a topic. Run and Commit may be called from two goroutines.
type TopicSource struct {
	log    *store.Log
	topic  store.Topic
	batch  bool
	drain  *topic.Drain // nil: a batch ends at the topic's end
	member *topic.Member
	anew   bool // it begins at an end that no state holds

	mu struct {
		sync.Mutex
		emitted   uint64
		committed uint64
		fetch     []int64 // by partition: the offset to read next
		kept      []int64 // the same, of what is committed
		open      []stretch
	}
}

// stretch is a run of records of one partition that was emitted together.
type stretch struct {
	through   uint64 // the number of the last of its emissions
	partition int32
	next      int64 // one past its last offset
}

// topicState is what is kept for the next start.
type topicState struct {
	ID   store.TopicID `json:"id"`
	Next []int64       `json:"next"`
}

// NewTopicSource finds the topic. drain may be nil.
func NewTopicSource(env engine.SourceEnv, log *store.Log, drain *topic.Drain) (*TopicSource, error) {
	t, err := findTopic(log, env.Config.String("name"))
	if err != nil {
		return nil, err
	}
	s := &TopicSource{log: log, topic: t, batch: env.Config.String("mode") == "batch", drain: drain}
	var kept topicState
	if env.State != nil {
		if err := json.Unmarshal(env.State, &kept); err != nil {
			return nil, fmt.Errorf("topic source: its state cannot be read: %w", err)
		}
	}
	if kept.ID != (store.TopicID{}) && kept.ID != t.ID && env.Log != nil {
		env.Log.Warn("topic source: the topic was made again: it is another one, and read from where it begins", "topic", t.Name, "start", env.Config.String("start"))
	}
	s.anew = kept.ID != t.ID && env.Config.String("start") == "latest"
	for i, extent := range t.Extents {
		next := extent.Start
		switch {
		case kept.ID == t.ID && i < len(kept.Next):
			next = kept.Next[i]
		case env.Config.String("start") == "latest":
			next = extent.End
		}
		if next < extent.Start || next > extent.End {
			return nil, fmt.Errorf("topic source: %s partition %d: the position is %d, but the log holds %d to %d: records were deleted unread; remove the pipeline's store to begin anew",
				t.Name, i, next, extent.Start, extent.End-1)
		}
		s.mu.fetch, s.mu.kept = append(s.mu.fetch, next), append(s.mu.kept, next)
	}
	if drain != nil {
		s.member = drain.Join(s.drained)
	}
	return s, nil
}

func findTopic(log *store.Log, name string) (store.Topic, error) {
	if log == nil {
		return store.Topic{}, fmt.Errorf("topic %s: this run has no log of topics", name)
	}
	t, ok := log.Topic(name)
	if !ok {
		return t, fmt.Errorf("there is no topic %s; create it: leat topic create %s --partitions N", name, name)
	}
	return t, nil
}

// Start keeps where the topic ended when the source was made: what is appended from then on is read, whatever becomes
// of this run.
func (s *TopicSource) Start(context.Context) ([]byte, error) {
	if !s.anew {
		return nil, nil
	}
	return s.commit(0)
}

// drained says that the topic is read to its end and all of it is committed: nothing of this
// pipeline is on its way to another topic.
func (s *TopicSource) drained() bool {
	t, ok := s.log.TopicByID(s.topic.ID)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.mu.committed < s.mu.emitted {
		return false
	}
	for i, next := range s.mu.fetch {
		if ok && next < t.Extents[i].End {
			return false
		}
	}
	return true
}

// Run emits until ctx ends, or in a batch until all is drained.
func (s *TopicSource) Run(ctx context.Context, emit engine.Emit) error {
	watch := s.log.Watch()
	defer watch.Close()
	for i := range s.topic.Extents {
		if err := watch.Add(s.topic.ID, int32(i)); err != nil {
			return fmt.Errorf("topic source: %w", err)
		}
	}
	for {
		read := false
		for i := range s.topic.Extents {
			some, err := s.group(ctx, int32(i), emit)
			if err != nil {
				return err
			}
			read = read || some
		}
		if read {
			continue
		}
		if over, err := s.wait(ctx, watch); over || err != nil {
			return err
		}
	}
}

// wait is idle until there is more to read; over says that a batch is done.
func (s *TopicSource) wait(ctx context.Context, watch *store.Watch) (over bool, err error) {
	var done <-chan struct{}
	if s.member != nil {
		s.member.Idle()
		defer s.member.Busy()
	}
	switch {
	case s.batch && s.drain == nil:
		return true, nil
	case s.batch:
		done = s.drain.Done()
	}
	select {
	case <-ctx.Done():
		return false, ctx.Err()
	case <-done:
		return true, nil
	case <-watch.C:
		return false, nil
	}
}

// group emits the next records of a partition.
func (s *TopicSource) group(ctx context.Context, partition int32, emit engine.Emit) (some bool, err error) {
	s.mu.Lock()
	from := s.mu.fetch[partition]
	s.mu.Unlock()
	records, err := s.log.ReadRecords(s.topic.ID, partition, from, topicGroup)
	if err != nil || len(records) == 0 {
		if err != nil {
			err = fmt.Errorf("topic source: %w", err)
		}
		return false, err
	}
	s.mu.Lock()
	first := s.mu.emitted
	s.mu.emitted += uint64(len(records))
	s.mu.fetch[partition] = from + int64(len(records))
	s.mu.open = append(s.mu.open, stretch{s.mu.emitted, partition, s.mu.fetch[partition]})
	s.mu.Unlock()
	group := make([]engine.Emission, len(records))
	for i, r := range records {
		group[i] = s.emission(partition, r)
		group[i].Position = binary.BigEndian.AppendUint64(nil, first+uint64(i)+1)
	}
	return true, emit(ctx, group)
}

// emission is a record as a message. Its ID is its place, so that what is emitted again after a crash is
// known again.
func (s *TopicSource) emission(partition int32, r store.TopicRecord) engine.Emission {
	fetched := topic.Fetched(topic.ChannelOf(s.topic, partition), r)
	e := engine.Emission{Key: r.Key, Payload: r.Value}
	opened, err := fetched.Open()
	if err != nil {
		e.Fault = &runtime.Failure{Kind: runtime.KindInput, Deterministic: true, Message: runtime.Cut(err.Error(), runtime.MaxReason)}
		opened.Channel, opened.Offset = fetched.Channel, fetched.Offset
	}
	e.ID = opened.At().String()
	e.Stamps = runtime.Meta{runtime.MetaTopicPlace: e.ID}
	if opened.Clock.Len() > 0 {
		e.Stamps[runtime.MetaTopicClock] = topic.FormatClock(opened.Clock)
	}
	if r.Value == nil {
		e.Payload, e.Stamps[runtime.MetaTopicNull] = []byte("null"), "true"
	}
	e.Meta = make(runtime.Meta, len(opened.Headers)+3)
	for _, h := range opened.Headers {
		if utf8.Valid(h.Value) {
			e.Meta[h.Name] = string(h.Value)
		}
	}
	e.Meta["topic"], e.Meta["partition"], e.Meta["offset"] = s.topic.Name, strconv.Itoa(int(partition)), strconv.FormatInt(r.Offset, 10)
	return e
}

// Commit keeps how far each partition is committed.
func (s *TopicSource) Commit(_ context.Context, through runtime.Position) ([]byte, error) {
	if len(through) != 8 {
		return nil, fmt.Errorf("topic source: a position of %d bytes", len(through))
	}
	state, err := s.commit(binary.BigEndian.Uint64(through))
	if s.member != nil {
		s.member.Check()
	}
	return state, err
}

func (s *TopicSource) commit(through uint64) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mu.committed = max(s.mu.committed, through)
	done := 0
	for _, st := range s.mu.open {
		if st.through > through { // committed in part, at most
			if rest := int64(st.through - through); st.next-rest > s.mu.kept[st.partition] {
				s.mu.kept[st.partition] = st.next - rest
			}
			break
		}
		s.mu.kept[st.partition] = st.next
		done++
	}
	s.mu.open = append(s.mu.open[:0], s.mu.open[done:]...)
	return json.Marshal(topicState{s.topic.ID, s.mu.kept})
}

// Close leaves the log to who opened it.
func (s *TopicSource) Close() error {
	if s.member != nil {
		s.member.Leave()
	}
	return nil
}

// observed is the record that a message came from; false for one from elsewhere.
func observed(m runtime.Message) (r causal.Record, ok bool, err error) {
	place, ok := m.Meta[runtime.MetaTopicPlace]
	if !ok {
		return r, false, nil
	}
	at, err := topic.ParsePlace(place)
	if err != nil {
		return r, false, err
	}
	r.Channel, r.Offset = at.Channel, at.Offset
	r.Clock, err = topic.ParseClock(m.Meta[runtime.MetaTopicClock])
	return r, true, err
}
