package engine

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/runtime"
	"github.com/leat-run/leat/store"
)

// dropSink takes everything.
type dropSink struct{}

func (dropSink) Write(context.Context, []Record) error { return nil }
func (dropSink) Close() error                          { return nil }

var order = []byte(`{"id":"o-1","customer":"c-17","total":123.45,"lines":[{"sku":"a","n":1},{"sku":"b","n":2}],"note":"` +
	"0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789" +
	"0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789" + `"}`)

// What the engine costs a message beside what the store takes for its row: the same rows
// once straight into Append, with the checkpoints, once through a pipeline without a
// transform into a drop sink. cpu-ns/msg is the process's CPU time.
func BenchmarkOverhead(b *testing.B) {
	b.Run("store", benchmarkAppend)
	for _, sources := range []int{1, 8, 64} {
		b.Run(fmt.Sprintf("engine/sources=%d", sources), func(b *testing.B) { benchmarkEngine(b, sources, nil) })
	}
	b.Run("engine/transform", func(b *testing.B) { benchmarkEngine(b, 1, identity) })
	b.Run("engine/transform/observer", func(b *testing.B) { benchmarkEngine(b, 1, identity, countingObserver{new(atomic.Int64)}) })
}

func benchmarkAppend(b *testing.B) {
	st := benchStore(b)
	rows := make([]store.Row, 256)
	now := time.Now()
	b.ResetTimer()
	cpu := cpuTime()
	for n := 0; n < b.N; {
		size := min(len(rows), b.N-n)
		for i := range size {
			rows[i] = store.Row{Node: "in0", Message: runtime.Message{ID: "01234567890123456789012345", Payload: order, Codec: "raw", Source: "in0", Ingested: now}}
		}
		first, err := st.Append(rows[:size])
		if err != nil {
			b.Fatal(err)
		}
		n += size
		through := first + runtime.Seq(size) - 1
		if err := st.SetCheckpoint(store.Checkpoint{Through: through, Balance: store.Balance{Opened: uint64(through), Delivered: uint64(through)}}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(cpuTime()-cpu)/float64(b.N), "cpu-ns/msg")
}

func benchmarkEngine(b *testing.B, sources int, guest applyFunc, observer ...Observer) {
	w := newWorld(b)
	for _, o := range observer {
		w.opt.Observer = o
	}
	w.store = benchStore(b)
	var names []string
	for i := range sources {
		name := fmt.Sprintf("in%d", i)
		w.source(name, orders((b.N+sources-1)/sources))
		w.plan.Sources[i].Decoder = "raw"
		names = append(names, name)
	}
	if guest != nil {
		w.transform("guest", guest, names...)
		names = []string{"guest"}
	}
	w.sink("out", dropSink{}, names...).BatchSize = 256
	w.plan.Sinks[0].Encoder = "raw"
	e := w.engine()
	b.ResetTimer()
	cpu := cpuTime()
	o := e.Run(context.Background())
	b.ReportMetric(float64(cpuTime()-cpu)/float64(o.Read), "cpu-ns/msg")
	w.status(o, StatusCompleted)
}

func benchStore(b *testing.B) *store.Store {
	b.Helper()
	st, err := store.Open(b.TempDir(), store.Options{MinFreeBytes: -1})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = st.Close() })
	return st
}

// countingObserver is the cheapest one that does something.
type countingObserver struct{ n *atomic.Int64 }

func (o countingObserver) Applied(Call)                                      { o.n.Add(1) }
func (o countingObserver) Written(*pipeline.Sink, int, time.Duration, error) { o.n.Add(1) }
func (o countingObserver) Appended(int, time.Duration)                       { o.n.Add(1) }
func (o countingObserver) Committed(int, time.Duration)                      { o.n.Add(1) }

// orders is a source that costs nothing: one group of 256, again and again.
func orders(n int) Source {
	return sourceFunc(func(ctx context.Context, emit Emit) error {
		group := make([]Emission, 256)
		for i := range group {
			group[i] = Emission{Payload: order, Position: runtime.Position("p")}
		}
		for ; n > 0; n -= len(group) {
			if err := emit(ctx, group[:min(n, len(group))]); err != nil {
				return err
			}
		}
		return nil
	})
}
