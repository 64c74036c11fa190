package engine

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/runtime"
)

// watcher keeps what an Observer is told.
type watcher struct {
	mu                  sync.Mutex
	calls               []Call
	written, refused    int
	appended, committed int
	slowest             time.Duration // from accepted to committed
	slowestAppend       time.Duration
}

func (w *watcher) Applied(c Call) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.calls = append(w.calls, c)
}

func (w *watcher) Written(_ *pipeline.Sink, records int, _ time.Duration, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err != nil {
		w.refused += records
	} else {
		w.written += records
	}
}

func (w *watcher) Appended(rows int, took time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.appended += rows
	w.slowestAppend = max(w.slowestAppend, took)
}

func (w *watcher) Committed(messages int, took time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.committed += messages
	w.slowest = max(w.slowest, took)
}

// Every number that an operator asks for comes out of Status or the Observer, and they
// agree: calls with their usage and kind, writes, rows, commits, filters by reason, letters by
// class and kind, retries, drops, recycles by reason, backpressure, lag, failed sources.
func TestObserverAndStatusTellEverything(t *testing.T) {
	w, seen := newWorld(t), &watcher{}
	w.opt.Observer = seen
	w.plan.Limits.MaxInFlight = 4
	failed := errors.New("the source broke")
	in := &refusingSource{listSource: listSource{n: 20, group: 2}, refused: &atomic.Int64{}}
	w.source("in", in)
	w.source("broken", sourceFunc(func(context.Context, Emit) error {
		waitFor(t, func() bool { return in.last() == "20" })
		return failed
	}))
	w.transform("guest", func(_ context.Context, m runtime.Message) (runtime.Result, error) {
		r := one(m)
		r.Usage = runtime.Usage{Fuel: 9, Duration: time.Millisecond, Memory: 5}
		switch number(m) {
		case 3:
			return runtime.Result{Usage: r.Usage}, guestFault("three")
		case 5:
			return runtime.Result{Null: true, Usage: r.Usage}, nil
		case 7:
			return runtime.Result{Usage: r.Usage}, &runtime.Failure{Kind: runtime.KindTimeout, Message: "slow"}
		}
		return r, nil
	}, "in")
	w.plan.Transforms[0].Settings.Budget = runtime.Budget{Fuel: 10, Timeout: time.Second, Memory: 100}
	var e *Engine
	var held sync.Once
	w.sink("out", &memorySink{write: func(context.Context, []Record) error {
		held.Do(func() { waitFor(t, func() bool { return e.Status().Backpressure.Waiting > 0 }) })
		return nil
	}}, "guest").BatchSize = 2
	w.plan.Sinks[0].BatchTimeout = time.Millisecond
	w.sink("bad", &memorySink{write: func(context.Context, []Record) error { return errors.New("no") }}, "guest")
	w.edgeOf("in", "guest").Retries, w.edgeOf("guest", "bad").Retries = 1, 0
	w.edgeOf("guest", "bad").Required = false
	e = w.engine()
	o := e.Run(context.Background())
	w.balance(o)
	w.status(o, StatusFailed)
	s := e.Status()

	if len(seen.calls) != 21 || seen.written != 17 || seen.refused != 17 || seen.appended != 20 || seen.committed != 20 {
		t.Errorf("%d calls, %d written, %d refused, %d appended, %d committed", len(seen.calls), seen.written, seen.refused, seen.appended, seen.committed)
	}
	if c := seen.calls[3]; c.Node.Name != "guest" || c.Usage.Fuel != 9 || c.InputBytes != len(`{"i":3}`) || c.Kind != runtime.KindGuest {
		t.Errorf("a call is %+v", c)
	}
	wantLetters := []LetterCount{{"guest", "transform", "guest", 1}, {"guest", "transform", "timeout", 1}}
	if !slices.Equal(s.LettersBy, wantLetters) || s.Letters != 2 {
		t.Errorf("letters %+v", s.LettersBy)
	}
	guest, bad := s.Nodes[0], s.Nodes[2]
	if guest.Name != "guest" || guest.Flavor != "test" || guest.Retries != 1 || guest.Recycled != (Recycled{Failure: 3}) || guest.Near != (NearBudget{Fuel: 18}) {
		t.Errorf("the guest %+v", guest)
	}
	if bad.Dropped != 17 || s.Balance.Null != 1 || s.Balance.Delivered != 17 {
		t.Errorf("the bad sink %+v, balance %+v", bad, s.Balance)
	}
	if s.Backpressure.Waits == 0 || s.Backpressure.Waited == 0 || s.Backpressure.Waiting != 0 {
		t.Errorf("backpressure %+v", s.Backpressure)
	}
	if s.Last != 20 || s.Checkpoint != 20 || s.Lag() != 0 || s.SpoolRows != 20 || s.SpoolBytes == 0 {
		t.Errorf("spool %+v", s)
	}
	want := []SourceStatus{{Name: "in", Plugin: "in", Accepted: 20, Refused: 1}, {Name: "broken", Plugin: "broken", Failed: true}}
	if !slices.Equal(s.Sources, want) {
		t.Errorf("sources %+v", s.Sources)
	}
}

// A message that came close to a budget is logged once a minute and counted each time.
func TestNearBudgetIsToldOnce(t *testing.T) {
	var text bytes.Buffer
	w := newWorld(t)
	w.opt.Log = slog.New(slog.NewTextHandler(&text, nil))
	w.source("in", &listSource{n: 10})
	w.transform("guest", func(_ context.Context, m runtime.Message) (runtime.Result, error) {
		r := one(m)
		if number(m) >= 5 {
			r.Usage = runtime.Usage{Fuel: 80, Duration: 81 * time.Millisecond, Memory: 81}
		}
		return r, nil
	}, "in")
	w.plan.Transforms[0].Settings.Budget = runtime.Budget{Fuel: 100, Timeout: 100 * time.Millisecond, Memory: 100}
	w.sink("out", &memorySink{}, "guest")
	e := w.engine()
	w.status(e.Run(context.Background()), StatusCompleted)
	if got := e.Status().Nodes[0].Near; got != (NearBudget{Time: 5, Memory: 5}) {
		t.Errorf("counted %+v", got)
	}
	if strings.Count(text.String(), "more than 80 %") != 1 || !strings.Contains(text.String(), "message_id=m5") {
		t.Errorf("logged:\n%s", text.String())
	}
}

// The time to a commit is that of each message: a group that commits in parts is told in
// parts, and sources that race do not mix up.
func TestAcceptances(t *testing.T) {
	var a acceptances
	start := time.Now()
	a.note(11, 5, start.Add(2))
	a.note(1, 10, start.Add(1))
	for _, step := range []struct {
		through runtime.Seq
		want    []acceptance
	}{
		{0, nil},
		{4, []acceptance{{1, 4, start.Add(1)}}},
		{12, []acceptance{{5, 6, start.Add(1)}, {11, 2, start.Add(2)}}},
		{99, []acceptance{{13, 3, start.Add(2)}}},
	} {
		if got := a.committed(step.through); !slices.Equal(got, step.want) {
			t.Errorf("through %d: %+v, want %+v", step.through, got, step.want)
		}
	}
	if len(a.groups) != 0 {
		t.Errorf("left over: %+v", a.groups)
	}
}
