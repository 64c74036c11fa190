package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/runtime"
	"github.com/leat-run/leat/store"
)

// failing makes a world in which every third of 9 messages fails in "guest" until fixed.
func failing(t *testing.T) (w *world, out *memorySink, fixed *atomic.Bool) {
	w, out, fixed = newWorld(t), &memorySink{}, &atomic.Bool{}
	w.source("in", &listSource{n: 9, group: 3})
	w.transform("guest", func(_ context.Context, m runtime.Message) (runtime.Result, error) {
		if number(m)%3 == 1 && !fixed.Load() {
			return runtime.Result{}, guestFault("not yet")
		}
		return one(m), nil
	}, "in")
	w.sink("out", out, "guest")
	w.status(w.run(), StatusPartial)
	w.sources["in"] = &listSource{}
	return w, out, fixed
}

func (w *world) replay(q ReplayRequest) (result ReplayResult, o Outcome) {
	w.t.Helper()
	w.opt.Feed = func(ctx context.Context, e *Engine) (err error) {
		result, err = e.Replay(ctx, q)
		return err
	}
	o = w.run()
	return result, o
}

// A replayed letter enters INTO the node that failed, as it entered it, marked as a replay
// with its id kept; once it is committed its letter goes if that was asked for.
func TestReplayFixed(t *testing.T) {
	w, out, fixed := failing(t)
	fixed.Store(true)
	result, o := w.replay(ReplayRequest{Delete: true})
	w.status(o, StatusCompleted)
	if result.Selected != 3 || result.Committed != 3 || len(w.letters()) != 0 || o.Injected != 3 {
		t.Errorf("result %+v, outcome %+v, %d letters", result, o, len(w.letters()))
	}
	for i, l := range result.Letters {
		if l.After != "fixed" || l.Before != (LetterFault{runtime.KindGuest, "not yet"}) || l.Node != "guest" {
			t.Errorf("letter %d: %+v", i, l)
		}
	}
	m := out.got[6].Message
	want := runtime.Meta{"leat.is_replay": "true", "leat.original_message_id": "m1", "leat.replay_count": "1", "leat.original_seq": "2"}
	if m.ID != "m1" || fmt.Sprint(m.Meta) != fmt.Sprint(want) {
		t.Errorf("replayed as %s %v", m.ID, m.Meta)
	}
}

// A letter that fails again updates its own record and does not add another; past
// max_replays it is quarantined: no filter picks it, its id does.
func TestReplayFailsAgainAndIsQuarantined(t *testing.T) {
	w, _, fixed := failing(t)
	w.plan.DLQ.MaxReplays = 2
	first := w.letters()
	for round := 1; round <= 2; round++ {
		result, o := w.replay(ReplayRequest{Delete: true})
		w.status(o, StatusPartial)
		if result.FailedAgain != 3 || result.Letters[0].After != "same" {
			t.Errorf("round %d: %+v", round, result)
		}
	}
	now := w.letters()
	if len(now) != 3 {
		t.Fatalf("%d letters", len(now))
	}
	for i, l := range now {
		if l.ID != first[i].ID || l.Attempts != 3 || l.ReplayCount != 2 || !l.Quarantined || len(l.Message.Meta) != 0 || !l.CreatedAt.Equal(first[i].CreatedAt) {
			t.Errorf("letter %+v", l)
		}
	}
	if result, _ := w.replay(ReplayRequest{}); result.Selected != 0 || result.Quarantined != 3 {
		t.Errorf("a filter picked %+v", result)
	}
	fixed.Store(true)
	result, o := w.replay(ReplayRequest{IDs: []string{first[1].ID}, Delete: true})
	w.status(o, StatusCompleted)
	if result.Committed != 1 || len(w.letters()) != 2 {
		t.Errorf("result %+v, %d letters", result, len(w.letters()))
	}
}

// --at replays into another node; a letter that passes its node and fails further down moves
// there, and counts as failed again.
func TestReplayElsewhere(t *testing.T) {
	w, out, fixed := failing(t)
	result, o := w.replay(ReplayRequest{At: "out", Match: func(l store.DeadLetter) bool { return l.Message.ID == "m4" }})
	w.status(o, StatusCompleted)
	if result.Committed != 1 || len(out.got) != 7 || len(w.letters()) != 3 {
		t.Errorf("result %+v", result)
	}
	if _, o := w.replay(ReplayRequest{At: "nowhere"}); !strings.Contains(o.Failure, "no such node") {
		t.Errorf("outcome %+v", o)
	}
	fixed.Store(true)
	out.write = func(context.Context, []Record) error { return errors.New("full") }
	result, o = w.replay(ReplayRequest{Delete: true})
	w.status(o, StatusPartial)
	l := w.letters()
	if result.FailedAgain != 3 || result.Letters[0].After != "other" || len(l) != 3 || l[0].Node != "out" || l[0].Class != "delivery" {
		t.Errorf("result %+v, letters %+v", result, l)
	}
}

// Letters of a node that the document no longer has are skipped, and hold back no others.
func TestReplayOfANodeThatIsGone(t *testing.T) {
	w, out, fixed := failing(t)
	gone := w.letters()[1]
	gone.Node = "gone"
	if err := w.store.PutLetter(gone); err != nil {
		t.Fatal(err)
	}
	fixed.Store(true)
	result, o := w.replay(ReplayRequest{Delete: true})
	w.status(o, StatusCompleted)
	if result.Committed != 2 || result.Skipped != 1 || result.Letters[1].After != "skipped" || len(out.got) != 8 || len(w.letters()) != 1 {
		t.Errorf("result %+v, %d delivered", result, len(out.got))
	}
}

// A replay that a crash interrupts goes on in the next run: the row knows its letter.
func TestReplayGoesOnAfterACrash(t *testing.T) {
	w, out, fixed := failing(t)
	l := w.letters()[0]
	m := l.Message
	if _, err := w.store.Append([]store.Row{{Node: "guest", Inject: true, Letter: l.ID, DeleteLetter: true, Message: m}}); err != nil {
		t.Fatal(err)
	}
	w.opt.Feed = nil
	w.status(w.run(), StatusPartial)
	if after := w.letters(); len(after) != 3 || after[0].ReplayCount != 1 || after[0].Attempts != 2 {
		t.Errorf("letters %+v", after)
	}
	fixed.Store(true)
	if _, err := w.store.Append([]store.Row{{Node: "guest", Inject: true, Letter: l.ID, DeleteLetter: true, Message: m}}); err != nil {
		t.Fatal(err)
	}
	w.status(w.run(), StatusCompleted)
	if len(w.letters()) != 2 || len(out.got) != 7 {
		t.Errorf("%d letters, %d delivered", len(w.letters()), len(out.got))
	}
}

// A letter of which only the start of the payload was kept is not replayed.
func TestCutLetterIsNotReplayed(t *testing.T) {
	w := newWorld(t)
	big := `"` + strings.Repeat("x", letterMost) + `"`
	w.source("in", &listSource{n: 1, make: func(int) Emission { return Emission{Payload: []byte(big)} }})
	w.transform("guest", func(context.Context, runtime.Message) (runtime.Result, error) {
		return runtime.Result{}, guestFault("no")
	}, "in")
	w.sink("out", &memorySink{}, "guest")
	w.status(w.run(), StatusPartial)
	l := w.letters()[0]
	if l.PayloadLength != int64(len(big)) || len(l.Message.Payload) != letterPayload {
		t.Errorf("kept %d of %d bytes", len(l.Message.Payload), l.PayloadLength)
	}
	if result, o := w.replay(ReplayRequest{}); result.Skipped != 1 || o.Injected != 0 {
		t.Errorf("result %+v", result)
	}
}

// What a source could read but not hand on is no message: only its start may be there, so it
// is not replayed as if it were one.
func TestSourceFaultIsNotReplayed(t *testing.T) {
	for name, c := range map[string]struct{ measured, want int64 }{"long line": {100, 100}, "broken stream": {0, -1}} {
		w, out := newWorld(t), &memorySink{}
		w.source("in", &listSource{n: 1, make: func(int) Emission {
			return Emission{Payload: []byte(`1`), Fault: &runtime.Failure{Kind: runtime.KindInput, Message: name, Measured: c.measured, Limit: 10}}
		}})
		w.sink("out", out, "in")
		w.status(w.run(), StatusPartial)
		if l := w.letters()[0]; l.PayloadLength != c.want {
			t.Errorf("%s: the letter says that the whole had %d bytes", name, l.PayloadLength)
		}
		result, o := w.replay(ReplayRequest{Delete: true})
		if result.Skipped != 1 || o.Injected != 0 || len(out.got) != 0 || len(w.letters()) != 1 {
			t.Errorf("%s: result %+v, outcome %+v, %d delivered", name, result, o, len(out.got))
		}
	}
}

// Injection at a source decodes and fans out of it, at a node enters into it; neither moves
// the source's position.
func TestInject(t *testing.T) {
	w := newWorld(t)
	in, out := &listSource{n: 1}, &memorySink{}
	w.source("in", in)
	w.transform("guest", func(_ context.Context, m runtime.Message) (runtime.Result, error) {
		m.Payload = fmt.Appendf(nil, `{"guest":%s}`, m.Payload)
		return one(m), nil
	}, "in")
	w.sink("out", out, "guest")
	w.opt.Feed = func(ctx context.Context, e *Engine) error {
		for _, node := range []string{"in", "guest", "out"} {
			if _, err := e.Inject(ctx, Injection{Node: node, Message: runtime.Message{ID: node, Payload: []byte("1")}}); err != nil {
				return err
			}
		}
		return nil
	}
	o := w.run()
	w.status(o, StatusCompleted)
	byID := map[string]string{}
	for _, r := range out.got {
		byID[r.Message.ID] = string(r.Bytes)
	}
	if byID["in"] != `{"guest":1}` || byID["guest"] != `{"guest":1}` || byID["out"] != "1" || in.last() != "" || o.Injected != 3 {
		t.Errorf("delivered %v, source at %q", byID, in.last())
	}
}

// Abandon dead-letters what is unfinished, record first, and lets the frontier pass. A
// bound that is too short leaves the rest uncommitted.
func TestAbandonOnCancel(t *testing.T) {
	for _, timeout := range []time.Duration{time.Minute, -1} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t)
			w.plan.Limits.DrainTimeout = time.Second
			w.opt.AbandonOnCancel, w.opt.AbandonTimeout = true, timeout
			in := &listSource{n: 6, group: 6}
			w.source("in", in)
			w.sink("out", &memorySink{write: func(ctx context.Context, b []Record) error {
				if number(b[0].Message) < 2 {
					return nil
				}
				<-ctx.Done()
				return ctx.Err()
			}}, "in")
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			o := w.runCtx(ctx)
			w.status(o, StatusInterrupted)
			l := w.letters()
			if timeout < 0 {
				if o.AbandonErr == nil || o.Outstanding+o.Abandoned != 4 {
					t.Errorf("outcome %+v", o)
				}
				return
			}
			if o.Abandoned != 4 || o.Outstanding != 0 || o.Checkpoint != 6 || in.last() != "6" || len(l) != 4 || l[0].Class != "canceled" {
				t.Errorf("outcome %+v, source at %q, letters %+v", o, in.last(), l)
			}
		})
	}
}

// Killer messages: after an unclean stop the rows that were in flight meet a child process
// first. Only a row at which the child dies is convicted (kind crash, one attempt); the
// others go through, and a clean stop suspects nobody.
func TestSuspectsMeetAChildFirst(t *testing.T) {
	w := newWorld(t)
	out := &memorySink{}
	var inProcess, inChild atomic.Int64
	w.opt.Isolated = func(context.Context, *pipeline.Transform) (runtime.Module, error) {
		return &testModule{apply: func(_ context.Context, m runtime.Message) (runtime.Result, error) {
			inChild.Add(1)
			if number(m) == 3 {
				return runtime.Result{}, &runtime.Failure{Kind: runtime.KindCrash, Message: "the child died"}
			}
			return one(m), nil
		}}, nil
	}
	w.source("in", &listSource{})
	w.transform("guest", func(_ context.Context, m runtime.Message) (runtime.Result, error) {
		inProcess.Add(1)
		return one(m), nil
	}, "in")
	w.sink("out", out, "guest")
	w.status(w.run(), StatusCompleted)

	spool := func() { spoolRows(t, w.store, 5) }
	spool()
	w.status(w.run(), StatusCompleted)
	if inProcess.Load() != 5 || inChild.Load() != 0 {
		t.Errorf("after a clean stop %d ran in a child", inChild.Load())
	}
	spool()
	if err := w.store.SetNodeState(runMarker, firstRank(), []byte(markRunning)); err != nil {
		t.Fatal(err)
	}
	o := w.run()
	w.status(o, StatusPartial)
	l := w.letters()
	if inProcess.Load() != 5 || inChild.Load() != 5 || len(l) != 1 || l[0].Failure.Kind != runtime.KindCrash || l[0].Attempts != 1 || len(out.got) != 9 {
		t.Errorf("%d in process, %d in a child, letters %+v", inProcess.Load(), inChild.Load(), l)
	}
}

// A replay that a crash runs again is the same replay: it does not bring its letter nearer
// to quarantine.
func TestReplayThatACrashRepeatsCountsOnce(t *testing.T) {
	w, _, _ := failing(t)
	l := w.letters()[0]
	w.opt.Feed = nil
	for range 7 { // more than max_replays
		m := l.Message
		m.Meta = runtime.Meta{runtime.MetaIsReplay: "true", runtime.MetaReplayCount: "1"}
		if _, err := w.store.Append([]store.Row{{Node: "guest", Inject: true, Letter: l.ID, Message: m}}); err != nil {
			t.Fatal(err)
		}
		w.status(w.run(), StatusPartial)
	}
	if again := w.letters()[0]; again.ReplayCount != 1 || again.Quarantined || again.Attempts != l.Attempts+7 {
		t.Errorf("the letter is %+v", again)
	}
}

// A replayed message keeps its codec: raw bytes come back as raw bytes, and are never
// taken for JSON.
func TestReplayKeepsTheCodec(t *testing.T) {
	w, out, failed := newWorld(t), &memorySink{}, false
	w.source("in", &listSource{n: 1, make: func(int) Emission { return Emission{Payload: []byte("a;b")} }})
	w.plan.Sources[0].Decoder = "raw"
	w.transform("guest", func(_ context.Context, m runtime.Message) (runtime.Result, error) {
		if !failed {
			failed = true
			return runtime.Result{}, guestFault("not yet")
		}
		return one(m), nil
	}, "in")
	w.sink("out", out, "guest")
	w.plan.Sinks[0].Encoder = "raw"
	w.status(w.run(), StatusPartial)
	w.sources["in"] = &listSource{}
	w.replay(ReplayRequest{})
	if len(out.got) != 1 || out.got[0].Message.Codec != "raw" || string(out.got[0].Bytes) != "a;b" {
		t.Errorf("delivered %+v", out.got)
	}
}

// An injection that is refused tells its caller, writes nothing and holds no slot.
func TestInjectRefusals(t *testing.T) {
	w := newWorld(t)
	w.source("in", &listSource{})
	w.sink("out", &memorySink{}, "in")
	stop, cancel := context.WithCancel(t.Context())
	cancel()
	var e *Engine
	w.opt.Feed = func(ctx context.Context, e *Engine) error {
		if _, err := e.Inject(ctx, Injection{Node: "nowhere"}); !errors.Is(err, ErrUnknownNode) {
			t.Errorf("into nowhere: %v", err)
		}
		if _, err := e.Inject(stop, Injection{Node: "out"}); !errors.Is(err, context.Canceled) {
			t.Errorf("by a caller who left: %v", err)
		}
		e.Drain()
		if _, err := e.Inject(t.Context(), Injection{Node: "out"}); !errors.Is(err, context.Canceled) {
			t.Errorf("into a run that ends: %v", err)
		}
		return nil
	}
	e = w.engine()
	w.balance(e.Run(t.Context()))
	if used, _ := e.gate.used(); used != 0 || w.store.LastSeq() != 0 {
		t.Errorf("%d slots are held, %d rows written", used, w.store.LastSeq())
	}
}
