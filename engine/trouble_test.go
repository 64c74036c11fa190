package engine

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/runtime"
	"github.com/leat-run/leat/store"
)

// A spool that is full blocks the run with a clear state; sources wait without an error;
// it resumes by itself once rows are committed, and everything arrives.
func TestFullStoreBlocksAndHeals(t *testing.T) {
	w := newWorld(t)
	_ = w.store.Close()
	w.openStore(store.Options{Ephemeral: true, MaxBytes: 20_000})
	out := &memorySink{}
	until := make(chan struct{})
	w.source("in", &listSource{n: 2000, group: 20})
	w.sink("out", &memorySink{write: func(ctx context.Context, b []Record) error {
		<-until
		return out.Write(ctx, b)
	}}, "in")
	w.edgeOf("in", "out").BufferMax = 10_000
	e := w.engine()
	ended := make(chan Outcome)
	go func() { ended <- e.Run(context.Background()) }()
	waitFor(t, func() bool { return e.Status().State == StateBlocked })
	if s := e.Status(); s.Reason == "" || s.InFlight == 0 {
		t.Errorf("blocked as %+v", s)
	}
	close(until)
	o := <-ended
	w.balance(o)
	w.status(o, StatusCompleted)
	if len(out.got) != 2000 {
		t.Errorf("%d arrived", len(out.got))
	}
}

// A commit that a source refuses is kept and told again with the next, and at the end at
// the latest: the state that the next run gets is that of the last position.
func TestSourceCommitIsRetried(t *testing.T) {
	w := newWorld(t)
	var refused atomic.Int64
	in := &refusingSource{listSource: listSource{n: 50}, refused: &refused}
	w.source("in", in)
	w.sink("out", &memorySink{}, "in")
	w.status(w.run(), StatusCompleted)
	if refused.Load() == 0 || in.last() != "50" {
		t.Errorf("%d refused, ended at %q", refused.Load(), in.last())
	}
	w.sources["in"] = &listSource{}
	w.status(w.run(), StatusCompleted)
	if got := string(w.states["in"]); got != "50" {
		t.Errorf("the next run starts at %q", got)
	}
}

type refusingSource struct {
	listSource
	refused *atomic.Int64
}

func (s *refusingSource) Commit(ctx context.Context, p runtime.Position) ([]byte, error) {
	if s.refused.Add(1) == 1 {
		return nil, errors.New("not now")
	}
	return s.listSource.Commit(ctx, p)
}

// split makes one message per element, with the element's bytes as they stood; an empty
// array filters, and what is no array is the message's fault.
func TestSplit(t *testing.T) {
	w := newWorld(t)
	out := &memorySink{}
	payloads := []string{`{"a":{"b":[1.0,{"x": 9007199254740993},"s"]}}`, `{"a":{"b":[]}}`, `{"a":1}`, `{"a":{"b":null}}`}
	w.source("in", &listSource{n: len(payloads), make: func(i int) Emission { return Emission{Payload: []byte(payloads[i])} }})
	tr := w.transform("parts", nil, "in")
	tr.Flavor, tr.Module, tr.SplitPath = splitFlavor, nil, "a.b"
	w.sink("out", out, "parts")
	o := w.run()
	w.status(o, StatusPartial)
	if got := out.payloads(); !slices.Equal(got, []string{"1.0", `{"x": 9007199254740993}`, `"s"`}) {
		t.Errorf("split into %q", got)
	}
	l := w.letters()
	if o.Balance.NoOutput != 1 || len(l) != 2 || !strings.Contains(l[0].Reason, "payload.a.b") || l[0].Failure.Kind != runtime.KindInput {
		t.Errorf("balance %+v, letters %+v", o.Balance, l)
	}
}

// Failures that may pass are tried again as the incoming edge says, and the letter counts
// every attempt; a predicate that cannot be evaluated does not match.
func TestTransformRetriesAndBadPredicates(t *testing.T) {
	w := newWorld(t)
	out := &memorySink{}
	var calls atomic.Int64
	w.source("in", &listSource{n: 3})
	w.transform("guest", func(_ context.Context, m runtime.Message) (runtime.Result, error) {
		if number(m) == 1 {
			calls.Add(1)
			return runtime.Result{}, &runtime.Failure{Kind: runtime.KindTimeout, Message: "slow"}
		}
		return one(m), nil
	}, "in")
	w.sink("out", out, "guest")
	w.edgeOf("in", "guest").Retries = 5
	w.edgeOf("guest", "out").When = pipeline.Stub(func(m runtime.Message) (any, error) {
		if number(m) == 2 {
			return nil, errors.New("no such key")
		}
		return true, nil
	})
	o := w.run()
	w.status(o, StatusPartial)
	if l := w.letters(); calls.Load() != 6 || len(l) != 1 || l[0].Attempts != 6 || o.Retries != 5 {
		t.Errorf("%d calls, letters %+v", calls.Load(), l)
	}
	if o.Balance.NoMatch != 1 || len(out.got) != 1 {
		t.Errorf("balance %+v", o.Balance)
	}
}

// Several runs on one open store: each starts where the last one ended, whatever the ranks
// of its states were.
func TestRunsShareAnOpenStore(t *testing.T) {
	w := newWorld(t)
	out := &memorySink{}
	w.source("in", nil)
	w.sink("out", out, "in")
	for n := 10; n <= 50; n += 10 {
		w.sources["in"] = &listSource{n: n, start: n - 10}
		w.status(w.run(), StatusCompleted)
		if state, err := w.store.NodeState("in"); err != nil || string(state) != strconv.Itoa(n) {
			t.Fatalf("after %d messages the state is %q, %v", n, state, err)
		}
		if mark, _ := w.store.NodeState(runMarker); string(mark) != markEnded {
			t.Errorf("the run is marked %q", mark)
		}
	}
}
