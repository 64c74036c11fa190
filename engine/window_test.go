package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/leat-run/leat/runtime"
	"github.com/leat-run/leat/store"
)

// windowed makes a world in which 9 messages went through "guest" to "out", a tenth was a
// fault of its source, and the run is over.
func windowed(t *testing.T, guest applyFunc) (w *world, out *memorySink) {
	w, out = newWorld(t), &memorySink{}
	w.source("in", &listSource{n: 10, group: 3, make: func(i int) Emission {
		e := Emission{ID: fmt.Sprint("m", i), Payload: fmt.Appendf(nil, ` {"i":%d} `, i)}
		if i == 9 {
			e.Fault = &runtime.Failure{Kind: runtime.KindInput, Message: "torn"}
		}
		return e
	}})
	w.transform("guest", guest, "in")
	w.sink("out", out, "guest")
	w.status(w.run(), StatusPartial)
	w.sources["in"] = &listSource{}
	out.got = nil
	return w, out
}

// A window of committed rows goes through the pipeline again: out of their source, each
// with its id, marked with where it first stood, and counted as replayed; the source's
// position stays. What its source could not hand on is skipped. A second replay of the new
// rows counts on, and remembers the first place.
func TestReplayWindow(t *testing.T) {
	w, out := windowed(t, identity)
	in := &listSource{}
	w.sources["in"] = in
	result, o := w.replay(ReplayRequest{Window: &Window{From: 4, To: 10}})
	w.status(o, StatusCompleted)
	if result.Selected != 7 || result.Committed != 6 || result.Skipped != 1 || o.Replayed != 6 || o.Injected != 0 || in.last() != "" {
		t.Errorf("result %+v, outcome %+v, source at %q", result, o, in.last())
	}
	m := out.got[0].Message
	want := runtime.Meta{"leat.is_replay": "true", "leat.original_message_id": "m3", "leat.replay_count": "1", "leat.original_seq": "4"}
	if m.ID != "m3" || m.Source != "in" || fmt.Sprint(m.Meta) != fmt.Sprint(want) {
		t.Errorf("replayed as %s of %s, %v", m.ID, m.Source, m.Meta)
	}
	out.got = nil
	w.replay(ReplayRequest{Window: &Window{From: 11, To: 11}})
	want["leat.replay_count"] = "2"
	if m := out.got[0].Message; fmt.Sprint(m.Meta) != fmt.Sprint(want) {
		t.Errorf("replayed again with %v", m.Meta)
	}
}

// A window can enter INTO another node, decoded; a row that fails again has a letter of its
// own and is counted.
func TestReplayWindowAt(t *testing.T) {
	w, out := windowed(t, func(_ context.Context, m runtime.Message) (runtime.Result, error) {
		if m.Meta[runtime.MetaIsReplay] != "" && number(m) == 2 {
			return runtime.Result{}, guestFault("two")
		}
		return one(m), nil
	})
	result, o := w.replay(ReplayRequest{At: "out", Window: &Window{From: 3, To: 3}})
	w.status(o, StatusCompleted)
	if result.Committed != 1 || len(out.got) != 1 || string(out.got[0].Message.Payload) != ` {"i":2} ` {
		t.Errorf("result %+v, delivered %+v", result, out.got)
	}
	result, o = w.replay(ReplayRequest{Window: &Window{From: 1, To: 3}})
	w.status(o, StatusPartial)
	l := w.letters()
	if result.Committed != 2 || result.FailedAgain != 1 || len(l) != 2 || l[1].Node != "guest" || l[1].ReplayCount != 0 {
		t.Errorf("result %+v, letters %+v", result, l)
	}
}

// What cannot be replayed whole is refused before anything is, with both numbers.
func TestReplayWindowRefusals(t *testing.T) {
	w, out := windowed(t, identity)
	if err := w.store.Trim(3); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		q    ReplayRequest
		want string
	}{
		{ReplayRequest{Window: &Window{From: 2, To: 5}}, "row 2 was trimmed, the oldest that is kept is 4"},
		{ReplayRequest{Window: &Window{From: 5, To: 12}}, "row 12 is not committed, the checkpoint is 10"},
		{ReplayRequest{Window: &Window{From: 5, To: 4}}, "5:4"},
		{ReplayRequest{Window: &Window{From: 0, To: 4}}, "0:4"},
		{ReplayRequest{Window: &Window{From: 5, To: 6}, IDs: []string{"a"}}, "of letters or of a window"},
	} {
		result, o := w.replay(c.q)
		if !errors.Is(o.Err, ErrWindow) || !strings.Contains(o.Failure, c.want) || result.Selected != 0 || o.Replayed != 0 {
			t.Errorf("%+v: %s, %+v", c.q.Window, o.Failure, result)
		}
	}
	if _, o := w.replay(ReplayRequest{Window: &Window{From: 5, To: 6}, At: "nowhere"}); !errors.Is(o.Err, ErrUnknownNode) {
		t.Errorf("outcome %+v", o)
	}
	if len(out.got) != 0 {
		t.Errorf("%d messages came all the same", len(out.got))
	}
}

// Rows that are trimmed while the window is on its way end the replay with the row at which
// it stopped; what went before is committed and counted.
func TestReplayWindowOvertakenByATrim(t *testing.T) {
	w := newWorld(t)
	_ = w.store.Close()
	w.openStore(store.Options{Ephemeral: true})
	const rows = 600 // more than the store reads at once
	out := &memorySink{}
	w.source("in", &listSource{n: rows, group: 100})
	w.sink("out", out, "in")
	w.status(w.run(), StatusCompleted)
	w.sources["in"] = &listSource{}
	var once bool
	out.write = func(_ context.Context, b []Record) error {
		if !once {
			once = true
			return w.store.Trim(500)
		}
		return nil
	}
	w.plan.Limits.MaxInFlight = 10 // the scan waits for the sink
	result, o := w.replay(ReplayRequest{Window: &Window{From: 1, To: rows}})
	if !errors.Is(o.Err, ErrWindow) || !strings.Contains(o.Failure, "row 257 was trimmed while the window was replayed, the oldest that is kept is 501") {
		t.Errorf("outcome %+v", o)
	}
	if o.Replayed != 256 || o.Balance.Committed != 256 || result.Selected != rows || result.Committed > 256 {
		t.Errorf("result %+v, outcome %+v", result, o)
	}
}
