package engine

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/leat-run/leat/runtime"
	"github.com/leat-run/leat/store"
)

// Sources are served as long as the gate has slots and no longer: with a sink that takes
// nothing, exactly max_in_flight messages are accepted.
func TestGateHoldsSourcesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.plan.Limits.MaxInFlight = 50
		var emitted atomic.Int64
		until := make(chan struct{})
		w.source("in", endless(&emitted))
		w.sink("out", &memorySink{write: func(context.Context, []Record) error { <-until; return nil }}, "in")
		w.edgeOf("in", "out").BufferMax = 1000
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan Outcome)
		e := w.engine()
		go func() { ended <- e.Run(ctx) }()
		time.Sleep(time.Minute)
		if s := e.Status(); emitted.Load() != 50 || s.InFlight != 50 {
			t.Errorf("%d emitted, status %+v", emitted.Load(), s)
		}
		cancel()
		close(until)
		w.balance(<-ended)
	})
}

// A source's own fault and bytes that are no message are dead letters of class decode at
// the source's node, and are committed like any other message.
func TestDecodeFailuresAreLetters(t *testing.T) {
	w := newWorld(t)
	out := &memorySink{}
	in := &listSource{n: 4, group: 4, make: func(i int) Emission {
		switch i {
		case 1:
			return Emission{Payload: []byte("{")}
		case 2:
			return Emission{Payload: []byte("long"), Fault: &runtime.Failure{Kind: runtime.KindInput, Message: "the line is over-long"}}
		}
		return Emission{Payload: []byte("1")}
	}}
	w.source("in", in)
	w.sink("out", out, "in")
	o := w.run()
	w.status(o, StatusPartial)
	l := w.letters()
	if len(l) != 2 || len(out.got) != 2 || o.Checkpoint != 4 || in.last() != "4" {
		t.Fatalf("%d letters, %d delivered, outcome %+v", len(l), len(out.got), o)
	}
	if l[0].Class != "decode" || l[0].Node != "in" || string(l[0].Message.Payload) != "{" || l[1].Reason != "the line is over-long" {
		t.Errorf("letters %+v", l)
	}
}

// A pull source is asked until io.EOF, and another error fails the run.
func TestPullSource(t *testing.T) {
	for _, end := range []error{io.EOF, errors.New("gone")} {
		w := newWorld(t)
		out := &memorySink{}
		w.source("in", &pullSource{end: end})
		w.sink("out", out, "in")
		o := w.run()
		if len(out.got) != 7 || (o.Status == StatusCompleted) != (end == io.EOF) {
			t.Errorf("%v: %d delivered, outcome %+v", end, len(out.got), o)
		}
	}
}

type pullSource struct {
	listSource
	end error
}

func (s *pullSource) Pull(_ context.Context, most int) (group []Emission, err error) {
	for range min(most, 4) {
		if s.n == 7 {
			return group, s.end
		}
		group = append(group, s.emission(s.n))
		s.n++
	}
	return group, nil
}

// Admission stamps: an id where the source has none, the time, the source, this run's
// stamps; the source cannot write reserved meta.
func TestStamps(t *testing.T) {
	w := newWorld(t)
	now := time.Date(2026, 1, 2, 3, 4, 5, 678_900_000, time.FixedZone("x", 3600))
	w.opt.Now = func() time.Time { return now }
	w.opt.Stamps = runtime.Meta{"leat.job": "j1"}
	out := &memorySink{}
	w.source("in", &listSource{n: 2, make: func(i int) Emission {
		e := Emission{Payload: []byte("1"), Key: []byte("k"), Meta: runtime.Meta{"a": "b", "leat.is_replay": "true"}}
		if i == 1 {
			e.ID = "mine"
		}
		return e
	}})
	w.sink("out", out, "in")
	w.status(w.run(), StatusCompleted)
	first, second := out.got[0].Message, out.got[1].Message
	if len(first.ID) != 26 || second.ID != "mine" || first.Source != "in" || string(first.Key) != "k" || first.Codec != "json" {
		t.Errorf("stamped %+v and %+v", first, second)
	}
	if want := now.UTC().Truncate(time.Millisecond); !first.Ingested.Equal(want) {
		t.Errorf("ingested at %s, want %s", first.Ingested, want)
	}
	if len(first.Meta) != 2 || first.Meta["a"] != "b" || first.Meta["leat.job"] != "j1" {
		t.Errorf("meta %v", first.Meta)
	}
}

// Rows of a node that the document no longer has are committed at once and counted: the
// rest of the spool is replayed.
func TestOrphanedRowsAreCounted(t *testing.T) {
	w := newWorld(t)
	rows := []store.Row{
		{Node: "gone", Message: runtime.Message{ID: "a", Payload: []byte("1"), Codec: "json"}},
		{Node: "in", Message: runtime.Message{ID: "b", Payload: []byte("1"), Codec: "json"}},
		{Node: "gone too", Inject: true, Message: runtime.Message{ID: "c", Payload: []byte("1"), Codec: "json"}},
		{Node: "out", Inject: true, Message: runtime.Message{ID: "d", Payload: []byte("1"), Codec: "json"}},
	}
	if _, err := w.store.Append(rows); err != nil {
		t.Fatal(err)
	}
	out := &memorySink{}
	w.source("in", &listSource{})
	w.sink("out", out, "in")
	o := w.run()
	w.status(o, StatusCompleted)
	if o.Replayed != 4 || o.Balance.Orphaned != 2 || strings.Join(out.ids(), " ") != "b d" || o.Checkpoint != 4 {
		t.Errorf("outcome %+v, delivered %v", o, out.ids())
	}
}

// A backlog larger than any queue is replayed: the workers run before the replay begins.
func TestReplayOfALargeBacklog(t *testing.T) {
	w := newWorld(t)
	var rows []store.Row
	for i := range 3000 {
		rows = append(rows, store.Row{Node: "in", Message: runtime.Message{ID: (&listSource{}).emission(i).ID, Payload: []byte("1"), Codec: "json"}})
	}
	if _, err := w.store.Append(rows); err != nil {
		t.Fatal(err)
	}
	out := &memorySink{}
	w.plan.Limits.MaxInFlight = 100 // it was larger in the last run
	w.source("in", &listSource{n: 10, group: 10})
	w.sink("out", out, "in")
	o := w.run()
	w.status(o, StatusCompleted)
	if o.Replayed != 3000 || o.Read != 10 || len(out.got) != 3010 || out.got[3000].Message.ID != "m0" {
		t.Errorf("outcome %+v, %d delivered", o, len(out.got))
	}
}

// What is admitted together is bounded by all that a message weighs, its meta included.
func TestGroupsAreCutByWeight(t *testing.T) {
	w := newWorld(t)
	w.source("in", &listSource{})
	w.sink("out", &memorySink{}, "in")
	e := w.engine()
	for name, one := range map[string]Emission{
		"payload": {Payload: make([]byte, chunkBytes/10)}, "key": {Key: make([]byte, chunkBytes/10)},
		"meta": {Meta: runtime.Meta{"m": string(make([]byte, chunkBytes/10))}},
	} {
		if n := e.cut(slices.Repeat([]Emission{one}, 100)); n < 9 || n > 10 {
			t.Errorf("%d messages with a tenth of the bound as their %s go together", n, name)
		}
		in := Injection{Message: runtime.Message{Payload: one.Payload, Key: one.Key, Meta: one.Meta}}
		if n := e.cutInjections(slices.Repeat([]incoming{{Injection: in}}, 100)); n < 9 || n > 10 {
			t.Errorf("%d injections with a tenth of the bound as their %s go together", n, name)
		}
	}
}
