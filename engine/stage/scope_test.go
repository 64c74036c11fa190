package stage

import (
	"fmt"
	"strings"
	"testing"

	"github.com/leat-run/leat/engine"
	"github.com/leat-run/leat/engine/causal"
	"github.com/leat-run/leat/engine/topic"
	"github.com/leat-run/leat/store"
)

func has(t *testing.T, text string, words ...string) {
	t.Helper()
	for _, word := range words {
		if !strings.Contains(text, word) {
			t.Errorf("%q does not say %q", text, word)
		}
	}
}

// emitting is a handler that emits each record to out.
func emitting(c guestCall) (any, error) {
	return []any{object{"to": "out", "value": c.Msg.Value}}, nil
}

func scopeWorld(t *testing.T, topics ...string) *world {
	w := newWorld(t, topics...)
	w.guests["emit"] = emitting
	return w
}

const emitGuest = "handle: {script: {source: emit}}"

// What cannot start says all that is missing, where it is named, and what to do.
func TestStartNamesWhatIsMissing(t *testing.T) {
	w := newWorld(t, "a")
	w.create("wide", 3)
	has(t, w.refused("inputs: {a: {}, b: {}}", "outputs: {c: {}}"), "there is no topic b", "there is no topic c", "leat topic create b", "s.yaml:3")
	has(t, w.refused("inputs: {a: {}, wide: {}}"), "wide has 3 partitions, but a has 1")
}

// An input that leaves with nothing held is carried: later emissions still claim what was delivered from it.
func TestShrinkCarriesThePast(t *testing.T) {
	w := scopeWorld(t, "a", "b", "out")
	w.produce("a", "k", `1`)
	w.produce("b", "k", `2`)
	w.batch("inputs: {a: {}, b: {}}", "outputs: {out: {}}", emitGuest)
	w.produce("a", "k", `3`)
	o := w.batch("inputs: {a: {}}", "outputs: {out: {}}", emitGuest)
	w.equal("status", o.Status, engine.StatusCompleted)
	if !w.said("input left", "topic=b", "gone=false") {
		t.Error(w.warnings)
	}
	records := w.records("out", 0)
	if offset, ok := records[2].Clock.Offset(w.channel("b")); !ok || offset != 0 {
		t.Errorf("the past on b is lost: %v", records[2].Clock)
	}
}

// An input that leaves while records of it are held is refused with its place and the ways out, and works again when it is back.
func TestShrinkWithHeldRecordsIsRefused(t *testing.T) {
	w := scopeWorld(t, "a", "b")
	w.produce("b", "k", `1`, "a@0")
	w.batch("inputs: {a: {}, b: {}}")
	has(t, w.refused("inputs: {a: {}}"), "b partition 0", "1 of its records are held, the first at offset 0", "declare the input again", "reset")
	w.produce("a", "k", `0`)
	w.batch("inputs: {a: {}, b: {}}")
	w.equal("history", w.history(), "a@0 b@0")
	w.batch("inputs: {a: {}}")
}

// An input that joins is read from its start, or from its end where the document says so; one of which the stage carries knowledge, from just past that.
func TestGrowth(t *testing.T) {
	w := scopeWorld(t, "a", "b", "late")
	w.produce("a", "k", `0`)
	w.produce("b", "k", `1`)
	w.produce("late", "k", `2`)
	w.batch("inputs: {a: {}, b: {}}")
	w.batch("inputs: {a: {}}")
	w.produce("b", "k", `3`)
	w.history()
	w.batch("inputs: {a: {}, b: {}, late: {start: latest}}")
	w.equal("history", w.history(), "b@1")
	w.produce("late", "k", `4`)
	w.batch("inputs: {a: {}, b: {}, late: {start: latest}}")
	w.equal("history", w.history(), "late@1")
	if !w.said("input joined", "topic=b", "known=true", "after=0") {
		t.Error(w.warnings)
	}
}

// An output that leaves is claimed from then on, and one that comes back is written again.
func TestSinkDroppedAndAddedAgain(t *testing.T) {
	w := scopeWorld(t, "a", "out", "other")
	w.produce("a", "k", `0`)
	w.batch("inputs: {a: {}}", "outputs: {out: {}, other: {}}", emitGuest)
	w.guests["emit"] = func(c guestCall) (any, error) { return []any{object{"to": "other", "value": 1}}, nil }
	w.produce("a", "k", `1`)
	w.batch("inputs: {a: {}}", "outputs: {other: {}}", emitGuest)
	if !w.said("output left", "topic=out") {
		t.Error(w.warnings)
	}
	other := w.records("other", 0)
	if offset, ok := other[0].Clock.Offset(w.channel("out")); !ok || offset != 0 {
		t.Errorf("the former output is not claimed: %v", other[0].Clock)
	}
	w.guests["emit"] = emitting
	w.produce("a", "k", `2`)
	w.batch("inputs: {a: {}}", "outputs: {out: {}, other: {}}", emitGuest)
	w.equal("out", w.values("out"), "[k=0 k=2]")
}

// A topic that is made again under its name is another one: the former leaves, said, the new one is read from its start, and a
// stage that emits to it goes on.
func TestTopicMadeAgain(t *testing.T) {
	w := scopeWorld(t, "a", "out")
	w.produce("a", "k", `0`)
	w.batch("inputs: {a: {}}", "outputs: {out: {}}", emitGuest)
	w.must(w.log.DeleteTopic("a"))
	w.must(w.log.DeleteTopic("out"))
	w.create("a", 1)
	w.create("out", 1)
	w.produce("a", "k", `1`)
	w.batch("inputs: {a: {}}", "outputs: {out: {}}", emitGuest)
	w.equal("out", w.values("out"), "[k=1]")
}

// With another number of partitions, more or fewer, keys would leave their states behind: that is refused. A first start that was
// interrupted between two tasks' first writes is none of it.
func TestTopicMadeAgainWithOtherPartitions(t *testing.T) {
	w := scopeWorld(t, "out")
	lines := []string{"inputs: {a: {}}", "outputs: {out: {}}", emitGuest}
	w.create("a", 2)
	s, err := w.start(nil, lines...)
	w.must(err)
	w.must(s.tasks[0].commit(t.Context()))
	w.must(s.Close())
	w.batch(lines...)
	w.must(w.log.DeleteTopic("a"))
	w.create("a", 4)
	has(t, w.refused(lines...), "state for 2 partitions", "4 partitions now", "leat stage reset")
	w.must(w.log.DeleteTopic("a"))
	w.create("a", 1)
	has(t, w.refused(lines...), "state for 2 partitions", "1 partitions now", "leat stage reset")
	w.must(Reset(w.log, "s"))
	w.batch(lines...)
}

// Records of one key meet in one task, whatever the topic; partitions work side by side.
func TestPartitionsAreTasks(t *testing.T) {
	w := newWorld(t)
	in, other := w.create("in", 4), w.create("other", 4)
	w.create("out", 3)
	w.guests["count"] = func(c guestCall) (any, error) {
		var n int
		_, _ = fmt.Sscan(string(c.State), &n)
		return object{"state": n + 1, "emit": []any{object{"to": "out", "value": n + 1}}}, nil
	}
	p := topic.NewProducer(w.log)
	for i := range 40 {
		key := fmt.Appendf(nil, "key-%d", i%10)
		for _, to := range []store.Topic{in, other} {
			_, err := p.Send(t.Context(), topic.Record{Topic: to.ID, Partition: store.PartitionOf(key, 4), Key: key, Value: []byte("1")})
			w.must(err)
		}
	}
	o := w.batch("inputs: {in: {}, other: {}}", "outputs: {out: {}}", "fold: {script: {source: count}}")
	w.equal("delivered", o.Counts.Delivered, 80)
	counts := map[string][]string{}
	for p := range int32(3) {
		for _, r := range w.records("out", p) {
			counts[string(r.Key)] = append(counts[string(r.Key)], string(r.Value))
		}
	}
	for key, values := range counts {
		w.equal(key, values, "[1 2 3 4 5 6 7 8]")
	}
	w.equal("keys", len(counts), 10)
}

// What retention has deleted is forgotten in the stamps, so that they do not grow with everything upstream.
func TestTruncation(t *testing.T) {
	w := scopeWorld(t, "a", "out")
	for i := range 5 {
		w.create(fmt.Sprint("old", i), 1)
		w.produce(fmt.Sprint("old", i), "k", `0`)
		w.produce("a", "k", `1`, fmt.Sprintf("old%d@0", i))
	}
	w.batch("inputs: {a: {}}", "outputs: {out: {}}", emitGuest)
	wide := w.records("out", 0)[4].Clock.Len()
	for i := range 4 {
		w.must(w.log.DeleteTopic(fmt.Sprint("old", i)))
	}
	s, err := w.start(nil, "inputs: {a: {}}", "outputs: {out: {}}", emitGuest)
	w.must(err)
	defer s.Close()
	w.must(s.tasks[0].truncate())
	w.produce("a", "k", `2`)
	_, err = s.tasks[0].advance(t.Context())
	w.must(err)
	last := w.records("out", 0)[5].Clock
	if wide != 7 || last.Len() != 3 {
		t.Errorf("the stamp had %d entries, has %d", wide, last.Len())
	}
	if _, claims := last.Offset(w.channel("old4")); !claims {
		t.Error("a topic that is there was forgotten")
	}
}

// A record that another stage holds is not forgotten when retention deletes it from the log: its effects would overtake it there.
func TestTruncationKeepsWhatIsHeld(t *testing.T) {
	w := scopeWorld(t, "s", "out", "d")
	w.guests["second"] = func(c guestCall) (any, error) {
		if string(c.Msg.Value) == "1" {
			return nil, nil
		}
		return emitting(c)
	}
	_, err := w.log.CreateTopic(store.TopicSpec{Name: "a", Partitions: 1, RetentionBytes: 1})
	w.must(err)
	w.produce("a", "k", `1`, "d@0")
	w.produce("s", "k", `1`, "a@0")
	y := []string{"metadata: {name: y}", "inputs: {s: {}}", "outputs: {out: {}}", "handle: {script: {source: second}}"}
	z := []string{"metadata: {name: z}", "inputs: {out: {}, a: {}, d: {}}"}
	w.batch(y...)
	w.equal("held", w.batch(z...).Counts.Held, 1)
	if removed, err := w.log.Retain(); removed != 1 || err != nil {
		t.Fatal(removed, err)
	}
	truncated := func() {
		t.Helper()
		stage, err := w.start(nil, y...)
		w.must(err)
		defer stage.Close()
		w.must(stage.tasks[0].truncate())
		_, err = stage.tasks[0].advance(t.Context())
		w.must(err)
	}
	w.produce("s", "k", `2`)
	truncated()
	w.history()
	w.batch(z...)
	w.equal("history", w.history(), "")
	w.produce("d", "k", `0`)
	w.batch(z...)
	w.equal("history", w.history(), "d@0 a@0 out@0")
	w.produce("s", "k", `3`)
	truncated()
	if offset, ok := w.records("out", 0)[1].Clock.Offset(w.channel("a")); ok {
		t.Errorf("delivered and deleted, a@%d is still claimed", offset)
	}
}

// A sweep that cannot know what others hold is skipped, counted and said; the stage goes on.
func TestTruncationThatFailsIsSkipped(t *testing.T) {
	w := scopeWorld(t, "old", "a", "out")
	w.produce("a", "k", `1`, "old@0")
	step, err := w.log.Begin()
	w.must(err)
	step.SetState(store.TaskID{Stage: "damaged"}, causal.KeyScope, []byte("x"))
	w.must(step.Commit())
	s, err := w.start(nil, "inputs: {a: {}}", "outputs: {out: {}}", emitGuest)
	w.must(err)
	defer s.Close()
	w.must(s.tasks[0].truncate())
	_, err = s.tasks[0].advance(t.Context())
	w.must(err)
	s.tasks[0].publish()
	w.equal("skipped", s.Counts().Skipped, 1)
	w.equal("delivered", s.Counts().Delivered, 1)
	if !w.said("truncation skipped", "damaged") {
		t.Error(w.warnings)
	}
}

// Two stages and a feedback between them end as a batch when all is quiet, not before.
func TestBatchOfStagesThatFeedOneAnother(t *testing.T) {
	w := newWorld(t, "in", "ping", "pong")
	damped := func(to string) guest {
		return func(c guestCall) (any, error) {
			var n int
			_, _ = fmt.Sscan(string(c.Msg.Value), &n)
			if n == 0 {
				return nil, nil
			}
			return []any{object{"to": to, "value": n - 1}}, nil
		}
	}
	w.guests["ping"], w.guests["pong"] = damped("ping"), damped("pong")
	w.produce("in", "k", "30")
	drain := topic.NewDrain()
	a, err := w.start(drain, "metadata: {name: a}", "inputs: {in: {}, pong: {}}", "outputs: {ping: {}}", "handle: {script: {source: ping}}", batch)
	w.must(err)
	b, err := w.start(drain, "metadata: {name: b}", "inputs: {ping: {}}", "outputs: {pong: {}}", "handle: {script: {source: pong}}", batch)
	w.must(err)
	ended := make(chan Outcome)
	for _, s := range []*Stage{a, b} {
		go func() { ended <- s.Run(t.Context()) }()
	}
	for range 2 {
		if o := <-ended; o.Err != nil || o.Status != engine.StatusCompleted {
			t.Errorf("%+v", o)
		}
	}
	w.equal("ping", len(w.values("ping")), 15)
	w.equal("pong", len(w.values("pong")), 15)
	var last causal.Clock
	for _, r := range w.records("pong", 0) {
		if !r.Clock.Dominates(last) {
			t.Fatal("a clock went back")
		}
		last = r.Clock
	}
}

// A stage that runs on wakes when records come, and ends when it is told to.
func TestContinuousStageWakes(t *testing.T) {
	w := scopeWorld(t, "a", "out")
	s, err := w.start(nil, "inputs: {a: {}}", "outputs: {out: {}}", emitGuest)
	w.must(err)
	ended := make(chan Outcome)
	go func() { ended <- s.Run(t.Context()) }()
	for i := range 3 {
		w.produce("a", "k", fmt.Sprint(i))
		w.eventually("the record is emitted", func() bool { return len(w.values("out")) == i+1 })
	}
	if again := s.Counts(); again.Held != 0 {
		t.Error(again)
	}
	s.Drain()
	if o := <-ended; o.Status != engine.StatusInterrupted || o.Err != nil {
		t.Errorf("%+v", o)
	}
	if o := s.Run(t.Context()); o.Err == nil {
		t.Error("a stage ran twice")
	}
}

// What a description says of a stage that has held records and one that left.
func TestDescribe(t *testing.T) {
	w := scopeWorld(t, "a", "b", "out")
	w.produce("a", "k", `0`)
	w.produce("b", "k", `1`, "a@5")
	lines := []string{"inputs: {a: {}, b: {}}", "outputs: {out: {}}", emitGuest}
	w.batch(lines...)
	d, err := Describe(w.log, w.plan(lines...))
	w.must(err)
	task := d.Partitions[0]
	w.equal("held", fmt.Sprint(len(d.Partitions), task.Held, task.Outputs), "1 1 [out]")
	for _, in := range task.Inputs {
		want := ChannelDescribe{Topic: "a", Declared: true, Frontier: 0, Position: 1, End: 1}
		if in.Topic == "b" {
			want = ChannelDescribe{Topic: "b", Declared: true, Frontier: -1, Position: 1, End: 1, Held: 1}
		}
		w.equal("input", in, want)
	}
}
