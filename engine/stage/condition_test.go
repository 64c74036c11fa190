package stage

import (
	"context"
	"strings"
	"testing"

	"github.com/leat-run/leat/engine"
	"github.com/leat-run/leat/runtime"
	"github.com/leat-run/leat/store"
)

// A stage tells what it does: before, in and after a run, while a failure blocks a channel, and why it failed.
func TestState(t *testing.T) {
	w := newWorld(t, "orders")
	w.guests["refuses"] = func(c guestCall) (any, error) {
		if string(c.Msg.Value) == `"bad"` {
			return nil, failing(runtime.KindGuest, true)
		}
		return nil, nil
	}
	s, err := w.start(nil, "inputs: {orders: {}}", "handle: {script: {source: refuses}}")
	w.must(err)
	is := func(want engine.State, words string) bool {
		state, reason := s.State()
		return state == want && strings.Contains(reason, words) && (words != "" || reason == "")
	}
	if !is(engine.StateStarting, "") {
		t.Error(s.State())
	}
	ended := make(chan Outcome)
	go func() { ended <- s.Run(context.Background()) }()
	w.eventually("it runs", func() bool { return is(engine.StateRunning, "") })
	w.produce("orders", "a", `"bad"`)
	w.eventually("it is blocked", func() bool { return is(engine.StateBlocked, "orders partition 0 offset 0: guest: it failed") })
	s.Drain()
	<-ended
	if !is(engine.StateStopped, "") || s.Err() != nil {
		t.Error(s.State())
	}
	if s.Run(w.Context()).Err == nil || s.Err() != nil {
		t.Error("a second run changes how the first one ended")
	}

	failed, err := w.start(nil, "inputs: {orders: {}}")
	w.must(err)
	w.must(w.log.Close())
	outcome := failed.Run(w.Context())
	if state, _ := failed.State(); state != engine.StateStopped || failed.Err() == nil || failed.Err().Error() != outcome.Failure {
		t.Error(state, failed.Err(), outcome.Failure)
	}
}

// A log without room blocks every stage on it.
func TestStateOfAFullLog(t *testing.T) {
	w := newWorld(t, "orders")
	w.must(w.log.Close())
	log, err := store.OpenLog(w.dir, store.Options{BallastBytes: -1, MinFreeBytes: 1 << 60})
	w.must(err)
	w.log = log
	t.Cleanup(func() { _ = log.Close() })
	s, err := w.start(nil, "inputs: {orders: {}}")
	w.must(err)
	ended := make(chan Outcome)
	ctx, stop := context.WithCancel(context.Background())
	go func() { ended <- s.Run(ctx) }()
	w.eventually("it is blocked", func() bool {
		if step, err := log.Begin(); err == nil { // who appends finds out
			step.Abort()
		}
		state, reason := s.State()
		return state == engine.StateBlocked && strings.HasPrefix(reason, "disk: ")
	})
	stop()
	<-ended
}
