package commit

import (
	"fmt"
	"testing"
	"time"

	"github.com/leat-run/leat/runtime"
)

// What one message costs the tracker, from its arrival in a group of 256 to its commit,
// with so many rows outstanding and so many sources: flat per message is the aim. One
// iteration is some hundred groups.
func BenchmarkTracker(b *testing.B) {
	for _, c := range []struct{ outstanding, sources int }{
		{1_000, 1}, {1_000, 64}, {100_000, 1}, {1_000_000, 1}, {1_000_000, 64},
	} {
		b.Run(fmt.Sprintf("outstanding=%d/sources=%d", c.outstanding, c.sources), func(b *testing.B) {
			benchmarkTracker(b, c.outstanding, c.sources)
		})
	}
}

func benchmarkTracker(b *testing.B, outstanding, sources int) {
	const group = 256
	tracker := New(0, Balance{}, sources)
	sizes, events := make([]int64, group), make([]Event, group)
	first, done, index := runtime.Seq(1), runtime.Seq(1), make([]uint64, sources)
	arrive := func() {
		source := int(first) / group % sources
		tracker.Arrive(Arrival{First: first, Bytes: sizes, Origin: Origin{
			Source: source, Index: index[source], Positions: make([]runtime.Position, group),
		}})
		index[source] += group
		first += group
	}
	for int(first) < outstanding {
		arrive()
	}
	const groups = 400
	var took time.Duration
	for b.Loop() {
		began := time.Now()
		for range groups {
			arrive()
			for j := range events {
				events[j] = Event{Seq: done + runtime.Seq(j), Ending: Delivered}
			}
			done += group
			tracker.Apply(events...)
			tracker.Take()
		}
		took += time.Since(began)
	}
	b.ReportMetric(float64(took)/float64(b.N*groups*group), "ns/msg")
}
