package stage

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/leat-run/leat/engine"
	"github.com/leat-run/leat/runtime"
	"github.com/leat-run/leat/store"
)

// sum adds up the values of a key and emits each sum; null forgets the key.
func sum(c guestCall) (any, error) {
	if string(c.Msg.Value) == "null" {
		return nil, nil
	}
	if string(c.Msg.Value) == `"bad"` {
		return nil, failing(runtime.KindGuest, true)
	}
	var state, value int
	_, _ = fmt.Sscan(string(c.State), &state)
	_, _ = fmt.Sscan(string(c.Msg.Value), &value)
	emit := object{"to": "sums", "value": state + value}
	if c.Msg.Headers[HeaderReplay] != nil {
		emit["headers"] = object{"replayed": "yes"}
	}
	return object{"state": state + value, "emit": []any{emit}}, nil
}

var sumStage = []string{"inputs: {orders: {}}", "outputs: {sums: {}}", "fold: {script: {source: sum}}"}

func sumWorld(t *testing.T) *world {
	w := newWorld(t, "orders", "sums")
	w.guests["sum"] = sum
	return w
}

// State is per key, is there in the next run, and null deletes it.
func TestFoldState(t *testing.T) {
	w := sumWorld(t)
	for _, r := range [][2]string{{"a", "1"}, {"b", "10"}, {"a", "2"}, {"a", "null"}, {"a", "4"}} {
		w.produce("orders", r[0], r[1])
	}
	w.batch(sumStage...)
	w.equal("sums", w.values("sums"), "[a=1 b=10 a=3 a=4]")
	w.reopen()
	w.produce("orders", "b", "5")
	w.produce("orders", "a", "null")
	w.batch(sumStage...)
	w.equal("sums", w.values("sums")[4:], "[b=15]")
	folds := 0
	w.must(w.log.Folds(store.TaskID{Stage: "s"}, func(key, value []byte) error {
		folds++
		w.equal("state", fmt.Sprintf("%q %s", key, value), `"\x01b" 15`)
		return nil
	}))
	w.equal("states", folds, 1)
}

// on_failure: block stops the channel at a failure that is certain to come again, keeps all that is behind it, says so, and
// goes on once the guest is mended.
func TestFailureBlocks(t *testing.T) {
	w := sumWorld(t)
	w.produce("orders", "a", `1`)
	w.produce("orders", "a", `"bad"`)
	w.produce("orders", "a", `2`)
	o := w.batch(sumStage...)
	w.equal("status", o.Status, engine.StatusPartial)
	w.equal("sums", w.values("sums"), "[a=1]")
	w.equal("held", o.Counts.Held, 2)
	if len(o.Blocked) != 1 || o.Blocked[0].Offset != 1 || o.Blocked[0].Tries != 1 || !o.Blocked[0].Deterministic {
		t.Errorf("blocked: %+v", o.Blocked)
	}
	if !w.said("blocked", "orders partition 0 offset 1", "never") || w.said("blocked", "stage=s") {
		t.Error("the logger names the stage, once: ", w.warnings)
	}
	w.guests["sum"] = func(c guestCall) (any, error) {
		if string(c.Msg.Value) == `"bad"` {
			return object{"state": c.State}, nil
		}
		return sum(c)
	}
	o = w.batch(sumStage...)
	w.equal("status", o.Status, engine.StatusCompleted)
	w.equal("sums", w.values("sums"), "[a=1 a=3]")
}

// on_failure: dead_letter passes over exactly the failures that are certain to come again, in the step that delivers them; a
// value that cannot be decoded is one. What depends on the record goes on.
func TestFailureBecomesADeadLetter(t *testing.T) {
	w := sumWorld(t)
	w.create("payments", 1)
	w.produce("orders", "a", `1`)
	w.produce("orders", "a", `"bad"`)
	w.produce("orders", "a", `{`)
	w.produce("payments", "a", `2`, "orders@2")
	o := w.batch("inputs: {payments: {}, orders: {}}", "outputs: {sums: {}}", "fold: {script: {source: sum}}", "on_failure: dead_letter")
	w.equal("status", o.Status, engine.StatusPartial)
	w.equal("sums", w.values("sums"), "[a=1 a=3]")
	w.equal("history", w.history(), "orders@0 orders@1 orders@2 payments@0")
	var letters []string
	w.must(w.log.Letters(func(l store.DeadLetter) error {
		letters = append(letters, fmt.Sprintf("%s %s %s %s %s", l.Pipeline, l.Node, l.Class, l.Failure.Kind, l.Message.Payload))
		return nil
	}))
	w.equal("letters", letters, `[s fold transform guest "bad" s fold decode input {]`)
}

// A failure that may not come again is never a dead letter: it blocks its channel and no other, is tried again after a pause, and then
// goes on in its place.
func TestFailureIsTriedAgain(t *testing.T) {
	w := newWorld(t, "a", "b", "out")
	var tries atomic.Int32
	w.guests["flaky"] = func(c guestCall) (any, error) {
		if c.Msg.Topic == "a" && c.Msg.Offset == 1 && tries.Add(1) <= 2 {
			return nil, failing(runtime.KindTimeout, false)
		}
		return []any{object{"to": "out", "value": c.Msg.Value}}, nil
	}
	w.produce("a", "k", `1`)
	w.produce("a", "k", `2`)
	w.produce("a", "k", `3`)
	w.produce("b", "k", `4`, "a@0")
	w.produce("b", "k", `5`, "a@2")
	o := w.batch("inputs: {a: {}, b: {}}", "outputs: {out: {}}", "handle: {script: {source: flaky}}", "on_failure: dead_letter")
	w.equal("history", w.history(), "a@0 b@0 a@1 a@2 b@1")
	w.equal("status", o.Status, engine.StatusCompleted)
	w.equal("letters", o.Counts.Letters, 0)
}

// A batch gives up on such a record after a few tries, and says where it stands.
func TestBatchEndsWithABlockedChannel(t *testing.T) {
	w := newWorld(t, "a")
	w.guests["slow"] = func(guestCall) (any, error) { return nil, failing(runtime.KindTimeout, false) }
	w.produce("a", "k", `1`)
	o := w.batch("inputs: {a: {}}", "handle: {script: {source: slow}}")
	w.equal("status", o.Status, engine.StatusPartial)
	w.equal("tries", o.Blocked[0].Tries, batchTries)
}

// A replay runs the guest with the state as it is now, flags the record, and deletes the letter in its own step; one that
// fails again counts.
func TestReplayOfADeadLetter(t *testing.T) {
	w := sumWorld(t)
	stage := append([]string{"on_failure: dead_letter"}, sumStage...)
	for _, value := range []string{`1`, `"bad"`, `2`} {
		w.produce("orders", "a", value)
	}
	w.batch(stage...)
	var letter store.DeadLetter
	w.must(w.log.Letters(func(l store.DeadLetter) error { letter = l; return nil }))
	s, err := w.start(nil, stage...)
	w.must(err)
	r, err := s.Replay(t.Context(), letter.ID)
	w.must(err)
	w.equal("failed again", fmt.Sprint(r.FailedAgain, r.Letters[0].After), "1same")
	again, err := w.log.Letter(letter.ID)
	w.must(err)
	w.equal("attempts", fmt.Sprint(again.Attempts, again.ReplayCount), "2 1")
	if _, err := s.Replay(t.Context(), "nobody"); !errors.Is(err, store.ErrNotFound) {
		t.Error(err)
	}
	w.must(s.Close())

	w.guests["sum"] = func(c guestCall) (any, error) {
		if string(c.Msg.Value) == `"bad"` {
			c.Msg.Value = []byte("40")
		}
		return sum(c)
	}
	s, err = w.start(nil, stage...)
	w.must(err)
	ended := make(chan Outcome)
	go func() { ended <- s.Run(t.Context()) }()
	r, err = s.Replay(t.Context(), letter.ID)
	w.must(err)
	w.equal("fixed", fmt.Sprint(r.Committed, r.Letters[0].After), "1fixed")
	s.Drain()
	if o := <-ended; o.Err != nil || o.Status != engine.StatusInterrupted {
		t.Error(o)
	}
	w.equal("sums", w.values("sums"), "[a=1 a=3 a=43]")
	records := w.records("sums", 0)
	if last := records[2]; len(last.Headers) != 1 || last.Headers[0].Name != "replayed" {
		t.Errorf("the replay was not flagged: %+v", last.Headers)
	}
	if offset, ok := records[2].Clock.Offset(w.channel("orders")); !ok || offset != 2 {
		t.Errorf("the replay claims orders@%d, %v", offset, ok)
	}
	if _, err := w.log.Letter(letter.ID); !errors.Is(err, store.ErrNotFound) {
		t.Error("the letter is still there: ", err)
	}
}

// Every answer that is none is a failure of kind output that says what is wrong.
func TestAnswersThatAreNone(t *testing.T) {
	w := newWorld(t, "orders", "sums", "bytes")
	for _, c := range []struct {
		answer any
		says   string
	}{
		{1, "no object"},
		{object{"emit": []any{}}, "has no state"},
		{object{"state": 1, "emitted": 1}, `unknown "emitted"`},
		{object{"state": 1, "emit": 1}, "no list"},
		{object{"state": 1, "emit": []any{1}}, "emission 0 is no object"},
		{object{"state": 1, "emit": []any{object{"value": 1}}}, "does not say where it goes"},
		{object{"state": 1, "emit": []any{object{"to": "sum", "value": 1}}}, `"sum", which is not among the outputs`},
		{object{"state": 1, "emit": []any{object{"to": "sums"}}}, "emission 0 has no value"},
		{object{"state": 1, "emit": []any{object{"to": "sums", "value": 1, "key": 1}}}, "key is neither text nor bytes"},
		{object{"state": 1, "emit": []any{object{"to": "sums", "value": 1, "headers": object{"leat-clock": "x"}}}}, "belongs to the protocol"},
		{object{"state": 1, "emit": []any{object{"to": "sums", "value": 1, "headers": 1}}}, "no object"},
		{object{"state": 1, "emit": []any{object{"to": "bytes", "value": 1}}}, "neither text nor bytes"},
		{object{"state": 1, "emit": []any{object{"to": "bytes", "value": object{"text": "x"}}}}, "value is neither text nor bytes"},
		{object{"state": 1, "emit": []any{object{"to": "bytes", "value": object{"base64": nil}}}}, "value is neither text nor bytes"},
		{object{"state": 1, "emit": []any{object{"to": "sums", "value": 1, "key": object{"id": "a"}}}}, "key is neither text nor bytes"},
		{object{"state": 1, "emit": make([]any, 3)}, "too many records"},
	} {
		w.guests["odd"] = func(guestCall) (any, error) { return c.answer, nil }
		plan := w.plan("inputs: {orders: {}}", "outputs: {sums: {}, bytes: {encoder: raw}}", "fold: {script: {source: odd}, budget: {outputs: 2}}")
		module, err := plan.Module.Instantiate(t.Context(), runtime.Host{})
		w.must(err)
		result, err := module.Apply(t.Context(), Call{Entry: runtime.EntryFold}.Message())
		w.must(err)
		_, failure := ReadAnswer(plan, nil, result)
		if failure == nil || failure.Kind != runtime.KindOutput || !failure.Deterministic || !strings.Contains(failure.Message, c.says) {
			t.Errorf("%v: %v, want %q", c.answer, failure, c.says)
		}
	}
}

// Keys, values and headers of any bytes come through a guest, held or not; a null is not an empty one, and an emission
// without a key has that of its record.
func TestBytesComeThrough(t *testing.T) {
	w := newWorld(t, "a", "gate", "out")
	w.guests["echo"] = func(c guestCall) (any, error) {
		emit := object{"to": "out", "value": c.Msg.Value, "headers": c.Msg.Headers}
		if c.Msg.Offset == 1 {
			emit["key"] = nil
		}
		return []any{emit}, nil
	}
	tp, _ := w.log.Topic("a")
	_, err := w.log.AppendRecords(tp.ID, 0, []store.TopicRecord{
		{Key: []byte{0, 255}, Value: []byte{254}, Headers: []store.TopicHeader{{Name: "h", Value: []byte{253}}, {Name: "n"}}},
		{Key: []byte("k"), Value: []byte{}},
		{Value: nil},
	})
	w.must(err)
	w.batch("inputs: {a: {decoder: raw}}", "outputs: {out: {encoder: raw}}", "handle: {script: {source: echo}}")
	var got []string
	for _, r := range w.records("out", 0) {
		got = append(got, fmt.Sprintf("%q/%v %q/%v %d", r.Key, r.Key == nil, r.Value, r.Value == nil, len(r.Headers)))
	}
	w.equal("records", strings.Join(got, ", "), `"\x00\xff"/false "\xfe"/false 2, ""/true ""/false 0, ""/true ""/true 0`)
}
