package engine

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/runtime"
	"github.com/leat-run/leat/store"
)

const (
	benchGroup    = 256
	benchMessages = 100 * benchGroup // per round
	benchRounds   = 5
)

var order = []byte(`{"id":"o-1","customer":"c-17","total":123.45,"lines":[{"sku":"a","n":1},{"sku":"b","n":2}],"note":"` +
	"0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789" +
	"0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789" + `"}`)

// What the engine costs a message beside what the store takes for its row: the same rows
// straight into Append with the checkpoints, and through a pipeline into a drop sink, in
// turns. over-ns/msg is the median of the differences in the process's CPU time (target for
// no transform: at most 1,500). One iteration is a few rounds of both.
func BenchmarkOverhead(b *testing.B) {
	for _, c := range []struct {
		name     string
		sources  int
		guest    applyFunc
		observer Observer
	}{
		{"sources=1", 1, nil, nil},
		{"sources=8", 8, nil, nil},
		{"sources=64", 64, nil, nil},
		{"transform", 1, identity, nil},
		{"transform/observed", 1, identity, countingObserver{new(atomic.Int64)}},
	} {
		b.Run(c.name, func(b *testing.B) {
			var ours, over []float64
			for b.Loop() {
				for range benchRounds {
					row := benchAppend(b)
					message := benchRun(b, c.sources, c.guest, c.observer)
					ours, over = append(ours, message), append(over, message-row)
				}
			}
			b.ReportMetric(middle(ours), "cpu-ns/msg")
			b.ReportMetric(middle(over), "over-ns/msg")
		})
	}
}

// benchAppend is the yardstick: CPU time per row, in nanoseconds.
func benchAppend(b *testing.B) float64 {
	st := benchStore(b)
	defer st.Close()
	rows, now := make([]store.Row, benchGroup), time.Now()
	for i := range rows {
		rows[i] = store.Row{Node: "in0", Message: runtime.Message{
			ID: "01234567890123456789012345", Payload: order, Codec: "raw", Source: "in0", Ingested: now,
		}}
	}
	cpu := cpuTime()
	for range benchMessages / benchGroup {
		first, err := st.Append(rows)
		if err != nil {
			b.Fatal(err)
		}
		through := first + benchGroup - 1
		if err := st.SetCheckpoint(store.Checkpoint{Through: through, Balance: store.Balance{Opened: uint64(through), Delivered: uint64(through)}}); err != nil {
			b.Fatal(err)
		}
	}
	return float64(cpuTime()-cpu) / benchMessages
}

// benchRun is CPU time per message, in nanoseconds.
func benchRun(b *testing.B, sources int, guest applyFunc, observer Observer) float64 {
	w, names := benchWorld(b, sources)
	w.opt.Observer = observer
	if guest != nil {
		w.transform("guest", guest, names...)
		names = []string{"guest"}
	}
	w.benchSink(writeFunc(func(context.Context, []Record) error { return nil }), names)
	defer w.store.Close()
	for _, name := range w.plan.Sources {
		w.sources[name.Name] = orders(benchMessages/sources, nil)
	}
	e := w.engine()
	cpu := cpuTime()
	o := e.Run(context.Background())
	w.status(o, StatusCompleted)
	return float64(cpuTime()-cpu) / float64(o.Read)
}

func benchWorld(b *testing.B, sources int) (w *world, names []string) {
	w = newWorld(b)
	_ = w.store.Close()
	w.store = benchStore(b)
	for i := range sources {
		names = append(names, fmt.Sprintf("in%d", i))
		w.source(names[i], nil)
		w.plan.Sources[i].Decoder = "raw"
	}
	return w, names
}

func (w *world) benchSink(s Sink, from []string) {
	out := w.sink("out", s, from...)
	out.BatchSize, out.Encoder = benchGroup, "raw"
}

func benchStore(b *testing.B) *store.Store {
	b.Helper()
	st, err := store.Open(b.TempDir(), store.Options{MinFreeBytes: -1, BallastBytes: -1})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = st.Close() })
	return st
}

// orders is a source that costs nothing: one group, again and again.
func orders(n int, after func()) Source {
	return sourceFunc(func(ctx context.Context, emit Emit) error {
		group := make([]Emission, benchGroup)
		for i := range group {
			group[i] = Emission{Payload: order, Position: runtime.Position("p")}
		}
		for ; n > 0; n -= len(group) {
			if err := emit(ctx, group[:min(n, len(group))]); err != nil {
				return err
			}
			if after != nil {
				after()
			}
		}
		return nil
	})
}

// countingObserver is the cheapest one that does something.
type countingObserver struct{ n *atomic.Int64 }

func (o countingObserver) Applied(Call)                                      { o.n.Add(1) }
func (o countingObserver) Written(*pipeline.Sink, int, time.Duration, error) { o.n.Add(1) }
func (o countingObserver) Appended(int, time.Duration)                       { o.n.Add(1) }
func (o countingObserver) Committed(int, time.Duration)                      { o.n.Add(1) }

// How far the durable checkpoint lies behind the spool while a run works as fast as it
// can, in rows: what a crash would replay. Half of the looks see at most lag-rows.
func BenchmarkCheckpointLag(b *testing.B) {
	var looks []float64
	for b.Loop() {
		w, names := benchWorld(b, 4)
		w.benchSink(writeFunc(func(context.Context, []Record) error { return nil }), names)
		var e *Engine
		for _, name := range names {
			w.sources[name] = orders(benchMessages, func() { // Status is safe on any goroutine
				if name == "in0" {
					looks = append(looks, float64(e.Status().Lag()))
				}
			})
		}
		e = w.engine()
		w.status(e.Run(context.Background()), StatusCompleted)
		_ = w.store.Close()
	}
	b.ReportMetric(middle(looks), "lag-rows")
	b.ReportMetric(slices.Max(looks), "lag-rows-most")
}

func middle(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}

// How fast messages become dead letters where every one fails, beside the same letters put
// one by one: ratio says how well they share the syncs of the disk.
func BenchmarkDeadLetters(b *testing.B) {
	const letters = 2000
	var rates, ratios []float64
	for b.Loop() {
		alone := benchLetters(b, letters)
		w, names := benchWorld(b, 1)
		w.sources["in0"] = orders(letters, nil)
		w.transform("guest", func(context.Context, runtime.Message) (runtime.Result, error) {
			return runtime.Result{}, guestFault("no")
		}, names...)
		w.benchSink(writeFunc(func(context.Context, []Record) error { return nil }), []string{"guest"})
		began := time.Now()
		o := w.engine().Run(context.Background())
		rate := float64(o.Letters) / time.Since(began).Seconds()
		w.status(o, StatusPartial)
		_ = w.store.Close()
		rates, ratios = append(rates, rate), append(ratios, rate/alone)
	}
	b.ReportMetric(middle(rates), "letters/s")
	b.ReportMetric(middle(ratios), "ratio")
}

// benchLetters is the yardstick: letters per second, one after the other.
func benchLetters(b *testing.B, n int) float64 {
	st := benchStore(b)
	defer st.Close()
	began := time.Now()
	for i := range n {
		l := store.DeadLetter{ID: fmt.Sprint(i), CreatedAt: began, Failure: guestFault("no"), Message: runtime.Message{Payload: order}}
		if err := st.PutLetter(l); err != nil {
			b.Fatal(err)
		}
	}
	return float64(n) / time.Since(began).Seconds()
}
