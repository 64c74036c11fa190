package endpoint

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/leat-run/leat/engine"
	"github.com/leat-run/leat/engine/causal"
	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/engine/topic"
	"github.com/leat-run/leat/runtime"
	"github.com/leat-run/leat/store"
)

func topicLog(t *testing.T, topics ...string) *store.Log {
	t.Helper()
	log, err := store.OpenLog("", store.Options{Ephemeral: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = log.Close() })
	for _, name := range topics {
		if _, err := log.CreateTopic(store.TopicSpec{Name: name, Partitions: 2}); err != nil {
			t.Fatal(err)
		}
	}
	return log
}

func topicEnv(name, start, mode string, state []byte) engine.SourceEnv {
	return engine.SourceEnv{Config: pipeline.Config{"name": name, "start": start, "mode": mode}, State: state}
}

func appendTo(t *testing.T, log *store.Log, name string, partition int32, values ...string) {
	t.Helper()
	tp, _ := log.Topic(name)
	for _, v := range values {
		r := store.TopicRecord{Value: []byte(v), Headers: []store.TopicHeader{{Name: "h", Value: []byte("x")}}}
		if _, err := log.AppendRecords(tp.ID, partition, []store.TopicRecord{r}); err != nil {
			t.Fatal(err)
		}
	}
}

// readAll runs a batch source to its end and returns what it emitted.
func readAll(t *testing.T, s *TopicSource) (all []engine.Emission) {
	t.Helper()
	err := s.Run(t.Context(), func(_ context.Context, group []engine.Emission) error {
		all = append(all, group...)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// A topic source reads every partition in order, goes on in the next run after exactly what was committed, wherever in a
// group that ends, and says where each record stood.
func TestTopicSourceGoesOnWhereItWasCommitted(t *testing.T) {
	log := topicLog(t, "orders")
	appendTo(t, log, "orders", 0, "0", "1", "2")
	appendTo(t, log, "orders", 1, "10", "11")
	s, err := NewTopicSource(topicEnv("orders", "earliest", "batch", nil), log, nil)
	if err != nil {
		t.Fatal(err)
	}
	first := readAll(t, s)
	if len(first) != 5 || first[0].ID != first[0].Stamps[runtime.MetaTopicPlace] || first[0].Meta["h"] != "x" || first[4].Meta["offset"] != "1" {
		t.Fatalf("emissions %+v", first)
	}
	for committed := range first {
		state, err := s.commit(uint64(committed))
		if err != nil {
			t.Fatal(err)
		}
		again, err := NewTopicSource(topicEnv("orders", "latest", "batch", state), log, nil)
		if err != nil {
			t.Fatal(err)
		}
		var got, want []string
		for _, e := range readAll(t, again) {
			got = append(got, string(e.Payload))
		}
		for _, e := range first[committed:] {
			want = append(want, string(e.Payload))
		}
		if strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("after %d: %v, want %v", committed, got, want)
		}
	}
}

// A start at the end skips what is there; a missing topic, no log, and a position that retention went past are said.
func TestTopicSourceStarts(t *testing.T) {
	log := topicLog(t, "orders")
	appendTo(t, log, "orders", 0, "0")
	s, err := NewTopicSource(topicEnv("orders", "latest", "batch", nil), log, nil)
	if err != nil {
		t.Fatal(err)
	}
	if all := readAll(t, s); len(all) != 0 {
		t.Errorf("emissions %+v", all)
	}
	tp, _ := log.Topic("orders")
	past := fmt.Appendf(nil, `{"id":%q,"next":[9,0]}`, tp.ID)
	for _, c := range []struct {
		log  *store.Log
		env  engine.SourceEnv
		says string
	}{
		{log, topicEnv("nothing", "earliest", "batch", nil), "leat topic create nothing"},
		{nil, topicEnv("orders", "earliest", "batch", nil), "no log of topics"},
		{log, topicEnv("orders", "earliest", "batch", past), "the position is 9"},
		{log, topicEnv("orders", "earliest", "batch", []byte("{")), "its state cannot be read"},
	} {
		if _, err := NewTopicSource(c.env, c.log, nil); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v, want %q", err, c.says)
		}
	}
}

// A run that began at the end and was over before its first commit has begun all the same: the next one reads what came
// meanwhile, also of a topic that was made again.
func TestTopicSourceKeepsWhereItBegan(t *testing.T) {
	for name, state := range map[string][]byte{"first run": nil, "made again": fmt.Appendf(nil, `{"id":%q,"next":[9,0]}`, store.TopicID{9})} {
		log := topicLog(t, "orders")
		appendTo(t, log, "orders", 0, "0")
		s, err := NewTopicSource(topicEnv("orders", "latest", "batch", state), log, nil)
		if err != nil {
			t.Fatal(err)
		}
		began, err := s.Start(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		appendTo(t, log, "orders", 0, "1")
		if s, err = NewTopicSource(topicEnv("orders", "latest", "batch", began), log, nil); err != nil {
			t.Fatal(err)
		}
		if again, err := s.Start(t.Context()); again != nil || err != nil {
			t.Errorf("%s: %q, %v", name, again, err)
		}
		if all := readAll(t, s); len(all) != 1 || string(all[0].Payload) != "1" {
			t.Errorf("%s: emissions %+v", name, all)
		}
	}
}

// A topic that was made again is another one: it is read from its start, and that is said.
func TestTopicSourceOfATopicMadeAgain(t *testing.T) {
	log := topicLog(t, "orders")
	appendTo(t, log, "orders", 0, "0", "1")
	s, err := NewTopicSource(topicEnv("orders", "earliest", "batch", nil), log, nil)
	if err != nil {
		t.Fatal(err)
	}
	state, err := s.commit(uint64(len(readAll(t, s))))
	if err != nil {
		t.Fatal(err)
	}
	if err := log.DeleteTopic("orders"); err != nil {
		t.Fatal(err)
	}
	if _, err := log.CreateTopic(store.TopicSpec{Name: "orders", Partitions: 2}); err != nil {
		t.Fatal(err)
	}
	appendTo(t, log, "orders", 0, "2")
	var said bytes.Buffer
	env := topicEnv("orders", "earliest", "batch", state)
	env.Log = slog.New(slog.NewTextHandler(&said, nil))
	if s, err = NewTopicSource(env, log, nil); err != nil {
		t.Fatal(err)
	}
	if all := readAll(t, s); len(all) != 1 || string(all[0].Payload) != "2" {
		t.Errorf("emissions %+v", all)
	}
	if !strings.Contains(said.String(), "topic=orders") || !strings.Contains(said.String(), "made again") {
		t.Errorf("it said %q", &said)
	}
}

// A header does not pass for the place of its record: what came through another topic before has that one's place in its headers.
func TestTopicSourceSaysItsOwnPlace(t *testing.T) {
	log := topicLog(t, "b")
	b, _ := log.Topic("b")
	_, err := log.AppendRecords(b.ID, 1, []store.TopicRecord{{Headers: []store.TopicHeader{
		{Name: "topic", Value: []byte("a")}, {Name: "partition", Value: []byte("7")}, {Name: "offset", Value: []byte("9")},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	s, err := NewTopicSource(topicEnv("b", "earliest", "batch", nil), log, nil)
	if err != nil {
		t.Fatal(err)
	}
	meta := readAll(t, s)[0].Meta
	if got := meta["topic"] + ":" + meta["partition"] + ":" + meta["offset"]; got != "b:1:0" {
		t.Errorf("it says %s", got)
	}
}

// A batch source waits for those who still write to topics, and for its own messages to be committed.
func TestTopicSourceWaitsForTheDrain(t *testing.T) {
	log, drain := topicLog(t, "orders"), topic.NewDrain()
	appendTo(t, log, "orders", 0, "0")
	s, err := NewTopicSource(topicEnv("orders", "earliest", "batch", nil), log, drain)
	if err != nil {
		t.Fatal(err)
	}
	writer := drain.Join(nil)
	emitted, ended := make(chan runtime.Position, 4), make(chan error, 1)
	go func() {
		ended <- s.Run(t.Context(), func(_ context.Context, group []engine.Emission) error {
			emitted <- group[len(group)-1].Position
			return nil
		})
	}()
	<-emitted
	appendTo(t, log, "orders", 1, "1")
	position := <-emitted
	writer.Leave()
	select {
	case err := <-ended:
		t.Fatal("it ended before its messages were committed: ", err)
	default:
	}
	if _, err := s.Commit(t.Context(), position); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(<-ended, s.Close()); err != nil {
		t.Error(err)
	}
}

// What a sink appends claims what it has appended before, in this life and the last, and the records that its messages came
// from; meta become headers, order_key the key, null stays null.
func TestTopicSinkClaims(t *testing.T) {
	log := topicLog(t, "in", "out")
	in, _ := log.Topic("in")
	appendTo(t, log, "in", 1, "0")
	appendTo(t, log, "out", 0, "earlier")
	// What the last life had observed is in the clock of what it appended last.
	inherited := causal.Coordinate{Channel: causal.Channel{Topic: causal.TopicID{9}}, Offset: 3}
	last := topic.NewProducer(log)
	last.Observe(causal.Record{Channel: inherited.Channel, Offset: inherited.Offset})
	outTopic, _ := log.Topic("out")
	sent, err := last.Send(t.Context(), topic.Record{Topic: outTopic.ID, Partition: 1})
	if err != nil {
		t.Fatal(err)
	}
	sink, err := NewTopicSink(engine.SinkEnv{Config: pipeline.Config{"name": "out"}}, log)
	if err != nil {
		t.Fatal(err)
	}
	place := causal.Coordinate{Channel: topic.ChannelOf(in, 1), Offset: 0}
	cause := causal.Coordinate{Channel: topic.ChannelOf(in, 0), Offset: 7}
	err = sink.Write(t.Context(), []engine.Record{
		{Bytes: []byte("1"), OrderKey: "k", Message: runtime.Message{Meta: runtime.Meta{
			"h": "x", runtime.MetaTopicPlace: place.String(), runtime.MetaTopicClock: topic.FormatClock(causal.NewClock(cause)),
		}}},
		{Bytes: []byte("null"), Message: runtime.Message{Key: []byte("k"), Meta: runtime.Meta{runtime.MetaTopicNull: "true"}}},
		{Bytes: nil, Message: runtime.Message{Key: []byte("k")}},
	})
	if err != nil {
		t.Fatal(err)
	}
	out, _ := log.Topic("out")
	p := store.PartitionOf([]byte("k"), 2)
	records, err := log.ReadRecords(out.ID, p, out.Extents[p].End-3, 3)
	if err != nil || len(records) != 3 {
		t.Fatal(records, err)
	}
	if empty := records[2].Value; empty == nil || len(empty) > 0 {
		t.Errorf("an empty payload became %q, null: %v", empty, empty == nil)
	}
	first, _ := topic.Fetched(topic.ChannelOf(out, p), records[0]).Open()
	second, _ := topic.Fetched(topic.ChannelOf(out, p), records[1]).Open()
	earlier := causal.Coordinate{Channel: topic.ChannelOf(out, 0), Offset: 0}
	if want := causal.NewClock(place, cause, earlier, sent[0], inherited); !first.Clock.Equal(want) {
		t.Errorf("clock %v, want %v", first.Clock, want)
	}
	if want := first.Clock.Merge(causal.NewClock(first.At())); !second.Clock.Equal(want) {
		t.Errorf("clock %v, want %v", second.Clock, want)
	}
	if string(first.Key) != "k" || fmt.Sprintf("%s", first.Headers) != "[{h x}]" || second.Value != nil {
		t.Errorf("records %+v %+v", first, second)
	}
	err = sink.Write(t.Context(), []engine.Record{{Message: runtime.Message{Meta: runtime.Meta{runtime.MetaTopicPlace: "odd"}}}})
	if err == nil {
		t.Error("a message from nowhere was taken")
	}
}

// A sweep of the clock that fails (the state of some stage cannot be read) is skipped, and is not the messages' fault.
func TestTopicSinkSkipsATruncationThatFails(t *testing.T) {
	log := topicLog(t, "out")
	step, err := log.Begin()
	if err != nil {
		t.Fatal(err)
	}
	step.SetState(store.TaskID{Stage: "damaged"}, causal.KeyScope, []byte("x"))
	if err := step.Commit(); err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	sink, err := NewTopicSink(engine.SinkEnv{Config: pipeline.Config{"name": "out"}, Log: slog.New(slog.NewTextHandler(&said, nil))}, log)
	if err != nil {
		t.Fatal(err)
	}
	sink.batches = truncateEvery - 1
	if err := sink.Write(t.Context(), []engine.Record{{Bytes: []byte("1")}}); err != nil {
		t.Error(err)
	}
	if !strings.Contains(said.String(), "truncation skipped") {
		t.Errorf("it said %q", &said)
	}
}
