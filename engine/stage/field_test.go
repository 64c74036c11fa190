package stage

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/leat-run/leat/engine"
	"github.com/leat-run/leat/engine/causal"
	"github.com/leat-run/leat/store"
)

// The cases that the field reports, on the embedded log. G3, G4 and G5 need markers, aborted records and holes, which
// this log does not have: the protocol's own tests and the simulator have them.

const ordersAndPayments = "inputs: {payments: {}, orders: {}}"

// A cause on another topic comes late: its effect, fetched first, waits for it.
func TestG1CauseOnAnotherTopicArrivesLate(t *testing.T) {
	w := newWorld(t, "orders", "payments")
	w.produce("orders", "o1", `1`)
	w.produce("payments", "o1", `2`, "orders@0")
	o := w.batch(ordersAndPayments)
	w.equal("history", w.history(), "orders@0 payments@0")
	w.equal("status", o.Status, engine.StatusCompleted)
}

// The same where the payment was there long before: it is held, over a restart too, and listed.
func TestG1HeldOverARestart(t *testing.T) {
	w := newWorld(t, "orders", "payments")
	w.produce("payments", "o1", `2`, "orders@0")
	w.produce("payments", "o2", `3`)
	o := w.batch(ordersAndPayments)
	w.equal("history", w.history(), "")
	w.equal("status", o.Status, engine.StatusPartial)
	if len(o.Holds) != 1 || o.Holds[0].WaitingBehind != 1 || fmt.Sprint(o.Holds[0].Missing) != "[{orders 0 0 not-fetched -1 0}]" {
		t.Errorf("holds %+v", o.Holds)
	}
	w.reopen()
	w.produce("orders", "o1", `1`)
	o = w.batch(ordersAndPayments)
	w.equal("history", w.history(), "orders@0 payments@0 payments@1")
	w.equal("held", o.Counts.Held, 0)
}

// A claim that comes by way of a record on a third topic counts as well.
func TestG2Transitive(t *testing.T) {
	w := newWorld(t, "customers", "orders", "payments")
	w.produce("customers", "c", `0`)
	w.produce("orders", "o", `1`, "customers@0")
	w.produce("payments", "p", `2`, "orders@0", "customers@0")
	w.batch("inputs: {payments: {}, orders: {}, customers: {}}")
	w.equal("history", w.history(), "customers@0 orders@0 payments@0")
}

// Retention that went past the position is never silent: the start says both numbers and the ways out, and accepting the
// loss folds the gap and counts it.
func TestG6RetentionAheadOfThePosition(t *testing.T) {
	w := newWorld(t)
	topic, err := w.log.CreateTopic(store.TopicSpec{Name: "orders", Partitions: 1, RetentionBytes: 200})
	w.must(err)
	w.produce("orders", "o", `0`)
	w.batch("inputs: {orders: {}}")
	for i := range 10 {
		w.produce("orders", "o", fmt.Sprint(i))
	}
	_, err = w.log.Retain()
	w.must(err)
	topic, _ = w.log.Topic("orders")
	start := topic.Extents[0].Start
	if start < 2 || start > 10 {
		t.Fatalf("retention left %d to %d", start, topic.Extents[0].End)
	}
	text := w.refused("inputs: {orders: {}}")
	for _, word := range []string{"position is 1", fmt.Sprintf("starts at %d", start), "accept the loss", "reset"} {
		if !strings.Contains(text, word) {
			t.Errorf("the refusal says %q, not %q", text, word)
		}
	}
	w.accept = true
	w.history()
	o := w.batch("inputs: {orders: {}}")
	w.equal("delivered", o.Counts.Delivered, 11-start)
	if !w.said("lost", "from=1", fmt.Sprintf("through=%d", start-1)) {
		t.Errorf("the loss was not said: %v", w.warnings)
	}
}

// A position past the end: the same topic with an earlier end is refused with both numbers; a topic made again
// is another one, which is said.
func TestG7PositionPastTheEnd(t *testing.T) {
	w := newWorld(t, "orders")
	w.produce("orders", "o", `0`)
	w.batch("inputs: {orders: {}}")
	step, err := w.log.Begin()
	w.must(err)
	step.SetPosition(store.TaskID{Stage: "s"}, store.TopicID(w.channel("orders").Topic), 0, 9)
	w.must(step.Commit())
	text := w.refused("inputs: {orders: {}}")
	for _, word := range []string{"position is 9", "ends at 1", "reset"} {
		if !strings.Contains(text, word) {
			t.Errorf("the refusal says %q, not %q", text, word)
		}
	}
	w.must(Reset(w.log, "s"))
	w.batch("inputs: {orders: {}}")
	w.history()
	w.must(w.log.DeleteTopic("orders"))
	w.create("orders", 1)
	w.produce("orders", "o", `1`)
	w.batch("inputs: {orders: {}}")
	w.equal("history", w.history(), "orders@0")
	if !w.said("input left", "gone=true") || !w.said("input joined", "topic=orders") {
		t.Errorf("it was not said: %v", w.warnings)
	}
}

// An idle channel holds up only what depends on it, without any limit in time, and holds names it.
func TestG8IdleChannel(t *testing.T) {
	w := newWorld(t, "orders", "payments", "quiet")
	w.produce("orders", "o", `0`)
	w.produce("payments", "p", `1`, "quiet@0")
	w.produce("orders", "o", `2`)
	o := w.batch("inputs: {orders: {}, payments: {}, quiet: {}}")
	w.equal("history", w.history(), "orders@0 orders@1")
	w.equal("holds", fmt.Sprint(o.Holds[0].Topic, o.Holds[0].Missing[0].Topic, o.Holds[0].Missing[0].Code), "paymentsquietnot-fetched")
}

// Records that do not depend on one another get no order: the same arrival gives the same delivery, twice.
func TestG13ConcurrentRecords(t *testing.T) {
	var histories []string
	for range 2 {
		w := newWorld(t, "a", "b")
		for i := range 20 {
			w.produce([]string{"a", "b"}[i%2], "k", fmt.Sprint(i))
		}
		w.batch("inputs: {a: {}, b: {}}")
		histories = append(histories, w.history())
	}
	if histories[0] != histories[1] || len(strings.Fields(histories[0])) != 20 {
		t.Error(histories)
	}
}

// What a producer has appended twice is two records, and no clock goes back.
func TestG14AppendedTwice(t *testing.T) {
	w := newWorld(t, "orders", "out")
	w.guests["echo"] = func(c guestCall) (any, error) { return object{"to": "out", "value": c.Msg.Offset}, nil }
	w.produce("orders", "o", `1`)
	w.produce("orders", "o", `1`)
	w.batch("inputs: {orders: {}}", "outputs: {out: {}}", "handle: {script: {source: echo}}")
	w.equal("history", w.history(), "orders@0 orders@1")
	records := w.records("out", 0)
	if len(records) != 2 || !records[1].Clock.Dominates(records[0].Clock) {
		t.Errorf("records %+v", records)
	}
}

// A claim on the record's own channel is ignored; two records that claim each other wait for ever, are named as a ring, and hold
// up nothing else.
func TestG15SelfClaimAndCycle(t *testing.T) {
	w := newWorld(t, "a", "b", "c")
	w.produce("c", "k", `0`, "c@7")
	w.produce("a", "k", `1`, "b@0")
	w.produce("b", "k", `2`, "a@0")
	w.produce("c", "k", `3`)
	o := w.batch("inputs: {a: {}, b: {}, c: {}}")
	w.equal("history", w.history(), "c@0 c@1")
	w.equal("status", o.Status, engine.StatusPartial)
	w.equal("cycle", o.Holds[0].Cycle, "[a:0@0 b:0@0]")
	w.equal("code", o.Holds[0].Missing[0].Code, causal.HeldUpstream)
}

// A record that is held for longer than the document finds normal is said once.
func TestHoldIsWarnedOfOnce(t *testing.T) {
	w := newWorld(t, "a", "b")
	now := time.Unix(1000, 0)
	s, err := New(context.Background(), Options{
		Plan: w.plan("inputs: {a: {}, b: {}}", "hold_warning_after: 30s"), Log: w.log,
		Logger: testLogger(w), Now: func() time.Time { return now },
	})
	w.must(err)
	defer s.Close()
	task := s.tasks[0]
	w.produce("a", "k", `1`, "b@0")
	for range 3 {
		_, err := task.advance(t.Context())
		w.must(err)
		task.publish()
		if w.said("waits for its causes") {
			t.Fatal("said too early")
		}
		now = now.Add(10 * time.Second)
	}
	for range 3 {
		task.publish()
		now = now.Add(time.Minute)
	}
	if !w.said("waits for its causes", "a partition 0 offset 0", "missing=b:0@0", "not-fetched") || len(w.warnings) != 1 {
		t.Error(w.warnings)
	}
}
