package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/runtime"
	"github.com/leat-run/leat/store"
)

// A walk says what a run then does: for every message the same records reach the same
// sinks, and the same nodes fail with the same class and reason, or filter. The world has
// every way a message can go: a decode fault, a failing guest, a filter, two outputs,
// conditions that match, do not, and cannot be evaluated, a missing order key.
func TestWalkIsWhatARunDoes(t *testing.T) {
	w, sinks := walkWorld(t)
	w.run()
	var ran []string
	for name, sink := range sinks {
		for _, r := range sink.got {
			ran = append(ran, fmt.Sprintf("%s %s %s key %q", r.Message.ID, name, r.Bytes, r.OrderKey))
		}
	}
	for _, l := range w.letters() {
		ran = append(ran, fmt.Sprintf("%s %s failed: %s %s %s", l.Message.ID, l.Node, l.Class, l.Failure.Kind, l.Reason))
	}

	sandbox := NewSandbox(w.plan, w.engine().endpoints.Codecs)
	var walked []string
	for n := range 12 {
		m := runtime.Message{ID: fmt.Sprint("m", n), Payload: payloadOf(n)}
		visits, cut, err := sandbox.Walk(t.Context(), "in", m)
		if err != nil || cut {
			t.Fatalf("message %d: cut %v, %v", n, cut, err)
		}
		for _, v := range visits {
			switch {
			case v.Failure != nil:
				walked = append(walked, fmt.Sprintf("%s %s failed: %s %s %s", m.ID, v.Node, v.Class, v.Failure.Kind, v.Failure.Message))
			case v.Role == RoleSink:
				walked = append(walked, fmt.Sprintf("%s %s %s key %q", m.ID, v.Node, v.Record.Bytes, v.Record.OrderKey))
			}
		}
	}
	slices.Sort(ran)
	slices.Sort(walked)
	if !slices.Equal(ran, walked) || len(ran) < 12 {
		t.Errorf("a run\n%q\na walk\n%q", ran, walked)
	}
	if err := sandbox.Close(); err != nil {
		t.Error(err)
	}
}

func payloadOf(n int) []byte {
	if n == 7 {
		return []byte(`{"n":`)
	}
	return fmt.Appendf(nil, `{"n":%d}`, n)
}

func walkWorld(t *testing.T) (*world, map[string]*memorySink) {
	w := newWorld(t)
	w.source("in", &emissions{12})
	w.transform("guest", func(_ context.Context, m runtime.Message) (runtime.Result, error) {
		switch n := number(m); {
		case n%4 == 1:
			return runtime.Result{}, guestFault(fmt.Sprint("not ", n))
		case n%4 == 2:
			return runtime.Result{Null: true}, nil
		case n%4 == 3:
			return runtime.Result{Out: []runtime.Message{m, {Payload: fmt.Appendf(nil, `{"n":%d}`, n+100), Codec: "json"}}}, nil
		}
		return one(m), nil
	}, "in")
	sinks := map[string]*memorySink{"all": {}, "some": {}}
	w.sink("all", sinks["all"], "guest")
	some := w.sink("some", sinks["some"], "guest")
	w.edgeOf("guest", "some").When = pipeline.Stub(func(m runtime.Message) (any, error) {
		if number(m) == 8 {
			return nil, errors.New("no such field")
		}
		return number(m) != 0, nil
	})
	some.OrderKey = pipeline.Stub(func(m runtime.Message) (any, error) {
		if number(m) == 103 {
			return nil, errors.New("no key")
		}
		return "k", nil
	})
	return w, sinks
}

// emissions is a source of n messages that names them.
type emissions struct{ n int }

func (s *emissions) Run(ctx context.Context, emit Emit) error {
	var group []Emission
	for n := range s.n {
		group = append(group, Emission{ID: fmt.Sprint("m", n), Payload: payloadOf(n)})
	}
	return emit(ctx, group)
}

func (*emissions) Commit(context.Context, runtime.Position) ([]byte, error) { return nil, nil }
func (*emissions) Close() error                                             { return nil }

// A candidate takes the place of a node's code; a letter's message is marked as the replay
// that it would be; a node that does not exist is an error.
func TestSandboxRunsACandidateOnALetter(t *testing.T) {
	w, _, _ := failing(t)
	sandbox := NewSandbox(w.plan, nil)
	letter := w.letters()[0]
	step, err := sandbox.Step(t.Context(), "guest", LetterMessage(letter))
	if err != nil || step.Failure == nil || step.Failure.Message != "not yet" || step.Class != store.ClassTransform {
		t.Errorf("the old code: %+v, %v", step, err)
	}
	if err := sandbox.Close(); err != nil {
		t.Error(err)
	}
	sandbox.Replace("guest", &testModule{apply: func(_ context.Context, m runtime.Message) (runtime.Result, error) { return one(m), nil }})
	step, err = sandbox.Step(t.Context(), "guest", LetterMessage(letter))
	if err != nil || step.Failure != nil || len(step.Out) != 1 || step.Out[0].Meta["leat.replay_count"] != "1" {
		t.Errorf("the candidate: %+v, %v", step, err)
	}
	if _, err := sandbox.Step(t.Context(), "nowhere", letter.Message); !errors.Is(err, ErrUnknownNode) {
		t.Errorf("a node that is not there: %v", err)
	}
	if err := sandbox.Close(); err != nil {
		t.Error(err)
	}
}

// A message of a codec that this program does not know is a decode fault, as in a run.
func TestSandboxDoesNotKnowTheCodec(t *testing.T) {
	w := newWorld(t)
	w.source("in", &listSource{})
	w.sink("out", &memorySink{}, "in")
	sandbox := NewSandbox(w.plan, w.engine().endpoints.Codecs)
	step, err := sandbox.Step(t.Context(), "in", runtime.Message{Payload: []byte("1"), Codec: "avro"})
	if err != nil || step.Class != store.ClassDecode || step.Failure == nil || step.Failure.Message != `there is no codec "avro"` {
		t.Errorf("%+v, %v", step, err)
	}
}
