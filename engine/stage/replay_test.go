package stage

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/leat-run/leat/runtime"
	"github.com/leat-run/leat/store"
)

// lettersOf are the ids of all dead letters, in their order.
func (w *world) lettersOf() (ids []string) {
	w.Helper()
	w.must(w.log.Letters(func(l store.DeadLetter) error { ids = append(ids, l.ID); return nil }))
	return ids
}

// running starts a stage that runs on, and returns how to end it.
func (w *world) running(s *Stage) (end func() Outcome) {
	ended := make(chan Outcome, 1)
	go func() { ended <- s.Run(w.Context()) }()
	return func() Outcome { s.Drain(); return <-ended }
}

// A stage that always has something to do still replays when it is asked to, and still forgets what no log holds: here it feeds itself,
// as a flood from outside would.
func TestBusyStageReplaysAndTruncates(t *testing.T) {
	w := newWorld(t, "loop", "out", "old")
	w.guests["feed"] = func(c guestCall) (any, error) {
		if string(c.Msg.Value) != `"bad"` {
			return []any{object{"to": "loop", "value": 1}}, nil
		}
		if c.Msg.Headers[HeaderReplay] == nil {
			return nil, failing(runtime.KindGuest, true)
		}
		return []any{object{"to": "out", "value": 1}}, nil
	}
	w.produce("old", "k", `0`)
	w.produce("loop", "k", `"bad"`, "old@0")
	w.produce("loop", "k", `1`)
	w.must(w.log.DeleteTopic("old"))
	s, err := w.start(nil, "inputs: {loop: {}}", "outputs: {loop: {}, out: {}}", "handle: {script: {source: feed}}", "on_failure: dead_letter", "truncate_every: 1s")
	w.must(err)
	end := w.running(s)
	w.eventually("there is a letter", func() bool { return len(w.lettersOf()) == 1 })
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	r, err := s.Replay(ctx, w.lettersOf()...)
	if err != nil || r.Committed != 1 {
		t.Errorf("%+v, %v", r, err)
	}
	w.eventually("the clock is truncated", func() bool { return s.Counts().Truncated == 1 })
	if o := end(); o.Err != nil {
		t.Error(o.Err)
	}
}

// Who asks for a replay and goes away does no harm: what was begun is finished, and the stage goes on.
func TestReplayOutlivesWhoAskedForIt(t *testing.T) {
	w := sumWorld(t)
	w.produce("orders", "a", `"bad"`)
	begun := make(chan struct{})
	var asked context.Context
	w.guests["sum"] = func(c guestCall) (any, error) {
		if c.Msg.Headers[HeaderReplay] == nil {
			return sum(c)
		}
		close(begun)
		<-asked.Done()
		if err := c.ctx.Err(); err != nil { // as both flavors do
			return nil, err
		}
		return object{"state": 5}, nil
	}
	s, err := w.start(nil, append([]string{"on_failure: dead_letter"}, sumStage...)...)
	w.must(err)
	end := w.running(s)
	w.eventually("there is a letter", func() bool { return len(w.lettersOf()) == 1 })
	var cancel context.CancelFunc
	asked, cancel = context.WithCancel(t.Context())
	go func() { <-begun; cancel() }()
	_, _ = s.Replay(asked, w.lettersOf()...)
	w.eventually("the letter is replayed", func() bool { return len(w.lettersOf()) == 0 })
	w.guests["sum"] = sum
	w.produce("orders", "b", `1`)
	w.eventually("the stage goes on", func() bool { return len(w.values("sums")) == 1 })
	if o := end(); o.Err != nil {
		t.Error(o.Err)
	}
}

// mendedWorld has one letter of a stage whose guest takes the record by now.
func mendedWorld(t *testing.T) (w *world, stage []string) {
	w = sumWorld(t)
	stage = append([]string{"on_failure: dead_letter"}, sumStage...)
	w.produce("orders", "a", `"bad"`)
	w.batch(stage...)
	w.guests["sum"] = func(guestCall) (any, error) {
		return object{"state": 1, "emit": []any{object{"to": "sums", "value": 1}}}, nil
	}
	return w, stage
}

// Of two replays of one letter that were asked for at once, one is made.
func TestLetterIsReplayedOnce(t *testing.T) {
	w, stage := mendedWorld(t)
	s, err := w.start(nil, stage...)
	w.must(err)
	defer s.Close()
	letter, err := w.log.Letter(w.lettersOf()[0])
	w.must(err)
	var after []string
	for range 2 {
		one, err := s.replayOne(t.Context(), letter) // both have read the letter before either is made
		w.must(err)
		after = append(after, one.After)
	}
	w.equal("after", after, "[fixed skipped]")
	w.equal("sums", w.values("sums"), "[a=1]")
}

// A replay that was given up before it could be written leaves nothing for the next step: neither its emissions nor that its letter is gone.
func TestReplayThatIsGivenUpLeavesNothing(t *testing.T) {
	w, stage := mendedWorld(t)
	w.must(w.log.Close())
	log, err := store.OpenLog(w.dir, store.Options{BallastBytes: -1, MinFreeBytes: 1 << 60}) // there is no room
	w.must(err)
	w.log = log
	defer log.Close()
	s, err := w.start(nil, stage...)
	w.must(err)
	defer s.Close()
	ctx, cancel := context.WithCancel(t.Context())
	w.onDeliver = func(Delivery) { cancel() }
	if _, err := s.Replay(ctx, w.lettersOf()...); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	left := s.tasks[0].step
	w.equal("left", fmt.Sprint(len(left.emissions), len(left.folds), len(left.deleted), left.delivered, left.bytes), "0 0 0 0 0")
}

// A letter of a topic that was made again cannot be replayed by anybody: it is passed over and says why, and does not keep the others
// from it.
func TestReplayPassesOverLettersOfATopicThatIsGone(t *testing.T) {
	w := sumWorld(t)
	stage := append([]string{"on_failure: dead_letter"}, sumStage...)
	w.produce("orders", "a", `"bad"`)
	w.batch(stage...)
	w.must(w.log.DeleteTopic("orders"))
	w.create("orders", 1)
	w.produce("orders", "b", `"bad"`)
	w.batch(stage...)
	w.guests["sum"] = func(c guestCall) (any, error) { return object{"state": 1}, nil }
	s, err := w.start(nil, stage...)
	w.must(err)
	defer s.Close()
	r, err := s.Replay(t.Context(), w.lettersOf()...)
	w.must(err)
	w.equal("result", fmt.Sprint(r.Selected, r.Committed, r.FailedAgain, r.Skipped), "2 1 0 1")
	for _, one := range r.Letters {
		if one.After == "skipped" && !strings.Contains(one.Failure.Reason, "orders") {
			t.Errorf("%+v", one)
		}
	}
	w.equal("letters left", len(w.lettersOf()), 1)
}
