package stage

import (
	"fmt"
	"testing"

	"github.com/leat-run/leat/engine/causal"
	"github.com/leat-run/leat/engine/topic"
	"github.com/leat-run/leat/store"
)

// benchWorld is a world with a stage over two topics; its guest is the cheapest there is, so that what is measured is the
// host, the protocol and the store.
func benchWorld(b *testing.B, topics ...string) *world {
	b.Helper()
	w := &world{T: &testing.T{}, dir: b.TempDir(), guests: goFlavor{
		"count": func(c guestCall) (any, error) {
			return object{"state": c.Msg.Offset, "emit": []any{object{"to": "out", "value": c.Msg.Offset}}}, nil
		},
	}}
	log, err := store.OpenLog(w.dir, store.Options{BallastBytes: -1})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = log.Close() })
	w.log = log
	for _, name := range topics {
		w.create(name, 1)
	}
	return w
}

// benchFill appends n records in turns to the topics, each with the clock that claim makes for it.
func benchFill(b *testing.B, w *world, n int, topics []string, claim func(i int, last causal.Coordinate) causal.Clock) {
	b.Helper()
	var last causal.Coordinate
	for i := 0; i < n; {
		step, err := w.log.Begin()
		if err != nil {
			b.Fatal(err)
		}
		for k := 0; k < 1000 && i < n; k++ {
			to, _ := w.log.Topic(topics[i%len(topics)])
			at, err := topic.Append(step, topic.Record{
				Topic: to.ID, Key: fmt.Appendf(nil, "k%d", i%1000), Value: fmt.Appendf(nil, `{"n":%d,"text":"%0200d"}`, i, i),
			}, claim(i, last))
			if err != nil {
				b.Fatal(err)
			}
			last, i = at, i+1
		}
		if err := step.Commit(); err != nil {
			b.Fatal(err)
		}
	}
}

// exhaust steps until nothing is left to deliver.
func exhaust(b *testing.B, s *Stage) {
	b.Helper()
	for worked := true; worked; {
		var err error
		if worked, err = s.tasks[0].advance(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}

func benchDeliver(b *testing.B, w *world, lines ...string) {
	b.Helper()
	s, err := New(b.Context(), Options{Plan: w.plan(lines...), Log: w.log})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	b.ResetTimer()
	exhaust(b, s)
	b.StopTimer()
	s.tasks[0].publish()
	if n := s.Counts().Delivered; n != int64(b.N) {
		b.Fatalf("%d of %d were delivered", n, b.N)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "records/s")
}

// Delivered records with fold state on the embedded log, synced: without clocks, with clocks that are met when they come (each record
// claims the one before it on the other topic), and released from the hold queue, where all of one topic waits for the other's last.
func BenchmarkDeliver(b *testing.B) {
	fold := []string{"inputs: {a: {}, b: {}}", "outputs: {out: {}}", "fold: {script: {source: count}}"}
	both := []string{"a", "b"}
	b.Run("plain", func(b *testing.B) {
		w := benchWorld(b, "a", "b", "out")
		benchFill(b, w, b.N, both, func(int, causal.Coordinate) causal.Clock { return causal.Clock{} })
		benchDeliver(b, w, fold...)
	})
	b.Run("clocks", func(b *testing.B) {
		w := benchWorld(b, "a", "b", "out")
		benchFill(b, w, b.N, both, func(i int, last causal.Coordinate) causal.Clock {
			if i == 0 {
				return causal.Clock{}
			}
			return causal.NewClock(last)
		})
		benchDeliver(b, w, fold...)
	})
	b.Run("released", func(b *testing.B) {
		w := benchWorld(b, "a", "b", "out")
		benchFill(b, w, b.N-1, []string{"a"}, func(int, causal.Coordinate) causal.Clock {
			return causal.NewClock(causal.Coordinate{Channel: w.channel("b"), Offset: 0})
		})
		s, err := New(b.Context(), Options{Plan: w.plan(fold...), Log: w.log})
		if err != nil {
			b.Fatal(err)
		}
		exhaust(b, s)
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
		w.produce("b", "k", "0")
		benchDeliver(b, w, fold...)
	})
}

// How wide and long a stamp becomes with the number of channels upstream, and what truncation gives back once their records
// are gone.
func BenchmarkStampWidth(b *testing.B) {
	for _, channels := range []int{1, 4, 16, 64} {
		b.Run(fmt.Sprint(channels), func(b *testing.B) {
			w := benchWorld(b, "in", "out")
			var claims []causal.Coordinate
			for i := range channels {
				name := fmt.Sprint("up", i)
				w.create(name, 1)
				w.produce(name, "k", "0")
				claims = append(claims, w.claim(name+"@0"))
			}
			w.produce("in", "k", "0")
			benchFill(b, w, b.N, []string{"in"}, func(i int, _ causal.Coordinate) causal.Clock { return causal.NewClock(claims[i%channels]) })
			s, err := New(b.Context(), Options{Plan: w.plan("inputs: {in: {}}", "outputs: {out: {}}", "fold: {script: {source: count}}"), Log: w.log})
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			b.ResetTimer()
			exhaust(b, s)
			b.StopTimer()
			records := w.records("out", 0)
			wide := records[len(records)-1].Clock
			for i := range channels {
				w.must(w.log.DeleteTopic(fmt.Sprint("up", i)))
			}
			w.must(s.tasks[0].truncate())
			w.produce("in", "k", "1")
			if _, err := s.tasks[0].advance(b.Context()); err != nil {
				b.Fatal(err)
			}
			records = w.records("out", 0)
			narrow := records[len(records)-1].Clock
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "records/s")
			b.ReportMetric(float64(wide.Len()), "entries")
			b.ReportMetric(float64(len(wide.AppendTo(nil))), "stamp-B")
			b.ReportMetric(float64(narrow.Len()), "entries-truncated")
		})
	}
}
