package topic

import (
	"errors"
	"testing"

	"github.com/leat-run/leat/engine/causal"
	"github.com/leat-run/leat/store"
)

func openLog(t *testing.T) (*store.Log, store.Topic) {
	t.Helper()
	log, err := store.OpenLog("", store.Options{Ephemeral: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = log.Close() })
	tp, err := log.CreateTopic(store.TopicSpec{Name: "a", Partitions: 2})
	if err != nil {
		t.Fatal(err)
	}
	return log, tp
}

// The client for others: what it sends claims what it sent and observed, a refused send leaves no claim, and what retention
// deleted is forgotten. A later life goes on from what the earlier had observed.
func TestProducer(t *testing.T) {
	log, tp := openLog(t)
	p := NewProducer(log)
	other := causal.Coordinate{Channel: causal.Channel{Topic: causal.TopicID{9}}, Offset: 3}
	p.Observe(causal.Record{Channel: other.Channel, Offset: other.Offset})
	bad := Record{Topic: tp.ID, Headers: []causal.Header{{Name: causal.HeaderClock}}}
	if _, err := p.Send(t.Context(), Record{Topic: tp.ID}, bad); !errors.Is(err, causal.ErrReservedHeader) {
		t.Fatal(err)
	}
	at, err := p.Send(t.Context(), Record{Topic: tp.ID, Partition: 1, Value: []byte("x")}, Record{Topic: tp.ID})
	if err != nil || at[0].Offset != 0 || at[1].Offset != 0 {
		t.Fatal(at, err)
	}
	for i, want := range []causal.Clock{causal.NewClock(other), causal.NewClock(other, at[0])} {
		records, err := log.ReadRecords(tp.ID, at[i].Channel.Partition, 0, 1)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Fetched(at[i].Channel, records[0]).Open()
		if err != nil || !r.Clock.Equal(want) {
			t.Errorf("record %d claims %v, want %v (%v)", i, r.Clock, want, err)
		}
	}
	if n, err := p.Truncate(); n != 1 || err != nil {
		t.Errorf("%d claims were forgotten, %v", n, err)
	}
	next := NewProducer(log)
	if err := next.Continue(tp); err != nil { // as it was before anything was sent
		t.Fatal(err)
	}
	if tp, _ = log.Topic("a"); tp.Extents[0].End != 1 {
		t.Fatal(tp.Extents)
	}
	if err := next.Continue(tp); err != nil {
		t.Fatal(err)
	}
	if stamp := next.session.Stamp(); !stamp.Equal(causal.NewClock(append(at, other)...)) {
		t.Errorf("a later life claims %v", stamp)
	}
}

// Done comes with the last busy member, not while one has something left to read.
func TestDrain(t *testing.T) {
	d := NewDrain()
	left := true
	writer, reader := d.Join(nil), d.Join(func() bool { return !left })
	done := func() bool {
		select {
		case <-d.Done():
			return true
		default:
			return false
		}
	}
	reader.Idle()
	writer.Idle()
	if done() {
		t.Fatal("a reader has something left")
	}
	reader.Busy()
	left = false
	writer.Leave()
	if done() {
		t.Fatal("a reader is busy")
	}
	reader.Idle()
	if !done() {
		t.Fatal("all is drained")
	}
	reader.Leave()
	reader.Busy()
	reader.Check()
}

// Places and clocks as text mean what they meant.
func FuzzParsePlace(f *testing.F) {
	f.Add(causal.Coordinate{Channel: causal.Channel{Topic: causal.TopicID{1}, Partition: 2}, Offset: 3}.String())
	f.Add("x:1@-1")
	f.Fuzz(func(t *testing.T, text string) {
		if at, err := ParsePlace(text); err == nil && at.String() != text {
			t.Errorf("%q reads as %s", text, at)
		}
		if clock, err := ParseClock(text); err == nil && text != "" {
			if again, err := ParseClock(FormatClock(clock)); err != nil || !again.Equal(clock) {
				t.Errorf("%q reads as %s", text, clock)
			}
		}
	})
}
