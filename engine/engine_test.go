package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/leat-run/leat/runtime"
)

// A pipeline from end to end: every message passes source, transform and sink once, in
// order; the source ends at its last position; the numbers of the outcome add up.
func TestRunToTheEnd(t *testing.T) {
	w := newWorld(t)
	in, out := &listSource{n: 1000, group: 100}, &memorySink{}
	w.source("in", in)
	w.transform("double", func(_ context.Context, m runtime.Message) (runtime.Result, error) {
		m.Payload = fmt.Appendf(nil, `{"i":%d}`, 2*number(m))
		return one(m), nil
	}, "in")
	w.sink("out", out, "double").BatchSize = 64

	o := w.run()
	w.status(o, StatusCompleted)
	var want []string
	for i := range 1000 {
		want = append(want, fmt.Sprintf(`{"i":%d}`, 2*i))
	}
	if got := out.payloads(); !slices.Equal(got, want) {
		t.Errorf("the sink got %d records, first %v", len(got), got[:min(len(got), 5)])
	}
	if o.Read != 1000 || o.Balance.Delivered != 1000 || o.Checkpoint != 1000 || in.last() != "1000" {
		t.Errorf("outcome %+v, source committed through %q", o, in.last())
	}
}

// Fan-out, filters by the three reasons, a split and dead letters, in one graph: each
// branch is counted once, where it ended.
func TestEveryEndingIsCounted(t *testing.T) {
	w := newWorld(t)
	left, right := &memorySink{}, &memorySink{}
	w.source("in", &listSource{n: 60, group: 7})
	w.transform("guest", func(_ context.Context, m runtime.Message) (runtime.Result, error) {
		switch number(m) % 6 {
		case 0:
			return runtime.Result{Null: true}, nil
		case 1:
			return runtime.Result{}, nil
		case 2:
			return runtime.Result{}, guestFault("will not")
		case 3:
			return runtime.Result{Out: []runtime.Message{m, m, m}}, nil
		}
		return one(m), nil
	}, "in")
	w.sink("left", left, "guest")
	w.sink("right", right, "guest")

	o := w.run()
	w.status(o, StatusPartial)
	b := o.Balance
	if b.Null != 10 || b.NoOutput != 10 || b.DeadLettered != 10 || b.Delivered != 2*(30+10+10) || b.Committed != 60 {
		t.Errorf("balance %+v", b)
	}
	if len(left.got) != 50 || len(right.got) != 50 || len(w.letters()) != 10 {
		t.Errorf("%d and %d delivered, %d letters", len(left.got), len(right.got), len(w.letters()))
	}
}

// C54: poison in the middle. Nine messages arrive in order, one letter tells which message
// it was, where and why, with the message as it entered the node; all ten are committed.
func TestC54PoisonInTheMiddle(t *testing.T) {
	w := newWorld(t)
	in, out := &listSource{n: 10}, &memorySink{}
	w.source("in", in)
	w.transform("guest", func(_ context.Context, m runtime.Message) (runtime.Result, error) {
		if number(m) == 4 {
			return runtime.Result{Usage: runtime.Usage{Fuel: 17}}, guestFault("no customer")
		}
		return one(m), nil
	}, "in")
	w.sink("out", out, "guest")

	o := w.run()
	w.status(o, StatusPartial)
	if got := strings.Join(out.ids(), " "); got != "m0 m1 m2 m3 m5 m6 m7 m8 m9" {
		t.Errorf("delivered %s", got)
	}
	letters := w.letters()
	if len(letters) != 1 || o.Checkpoint != 10 || in.last() != "10" {
		t.Fatalf("%d letters, checkpoint %d, source at %s", len(letters), o.Checkpoint, in.last())
	}
	l := letters[0]
	if l.SpoolSeq != 5 || l.Node != "guest" || l.Edge != "in->guest" || l.Class != "transform" || l.Attempts != 1 ||
		l.Reason != "no customer" || l.Failure.Kind != runtime.KindGuest || l.Message.ID != "m4" ||
		string(l.Message.Payload) != `{"i":4}` || l.Usage.Fuel != 17 || l.CodeDigest != "sha256:test" || l.Flavor != "test" {
		t.Errorf("the letter is %+v", l)
	}
}
