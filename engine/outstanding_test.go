package engine

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	goruntime "runtime"
	"strconv"
	"testing"
	"time"

	"github.com/leat-run/leat/runtime"
	"github.com/leat-run/leat/store"
)

const (
	fewOutstanding = 1_000 // what the others are compared with
	steadyLeast    = 400_000 / benchGroup * benchGroup
)

// steady is how many messages are measured while so many are outstanding: twice as many, so
// that the collector runs, memory is used again and rows are given up in it as they are later.
func steady(outstanding int) int { return max(steadyLeast, 2*outstanding/benchGroup*benchGroup) }

// What a message costs while so many are outstanding: flat is the aim. The sink stays that
// far behind the source; first they pile up, then as many are delivered as come, and that is
// what is measured (the first filling of memory is paid once by a process: fill-ns/msg). Each
// message has bytes of its own, as a source makes them, and neighbours are not equal, so that
// neither the collector nor the disk has it easier than in a run. One iteration is one round
// of all; -benchtime 5x gives medians.
//
//	cpu-ns/msg    CPU time of the whole process, the store and its compactions included
//	sys-ns/msg    the part of it in the kernel
//	few-ns/msg    the same with 1,000 outstanding, measured beside it, in turns
//	times         median of cpu-ns/msg by few-ns/msg (target: at most 1.25)
//	over-ns/msg   what of it is the engine's: without what the same rows cost in the store
//	              alone, its checkpoint being as far behind
//	live-B/msg    live heap, per outstanding message: payloads of 300 bytes and IDs included
func BenchmarkOutstanding(b *testing.B) {
	for _, outstanding := range []int{30_000, 1_000_000} {
		b.Run(fmt.Sprint("rows=", outstanding), func(b *testing.B) {
			var many, few, sys, fill, live, times, over []float64
			for b.Loop() {
				f, m := benchOutstanding(b, fewOutstanding), benchOutstanding(b, outstanding)
				few, many, sys = append(few, f.cpu), append(many, m.cpu), append(sys, m.sys)
				fill, live, times = append(fill, m.fill), append(live, m.live), append(times, m.cpu/f.cpu)
				over = append(over, m.cpu-benchLag(b, outstanding))
			}
			b.ReportMetric(middle(many), "cpu-ns/msg")
			b.ReportMetric(middle(sys), "sys-ns/msg")
			b.ReportMetric(middle(few), "few-ns/msg")
			b.ReportMetric(middle(times), "times")
			b.ReportMetric(middle(over), "over-ns/msg")
			b.ReportMetric(middle(fill), "fill-ns/msg")
			b.ReportMetric(middle(live), "live-B/msg")
		})
	}
}

// outstandingCost is per message, in nanoseconds of CPU time and bytes.
type outstandingCost struct{ fill, cpu, sys, live float64 }

func benchOutstanding(b *testing.B, outstanding int) (cost outstandingCost) {
	w, names := benchWorld(b, 1)
	defer w.store.Close()
	w.plan.Limits.MaxInFlight, w.plan.Limits.MaxInFlightBytes = outstanding+4*benchGroup, 8<<30
	messages := steady(outstanding)
	credit := make(chan struct{}, messages/benchGroup+1) // a batch that the sink may take
	w.sources["in0"] = sourceFunc(func(ctx context.Context, emit Emit) error {
		defer close(credit)
		filling := outstanding / benchGroup * benchGroup
		before, began := liveHeap(), benchClock()
		if err := ownOrders(filling, nil).Run(ctx, emit); err != nil {
			return err
		}
		cost.fill = began.since().total / float64(filling)
		cost.live = (liveHeap() - before) / float64(filling)
		began = benchClock()
		err := ownOrders(messages, func() { credit <- struct{}{} }).Run(ctx, emit)
		used := began.since()
		cost.cpu, cost.sys = used.total/float64(messages), used.kernel/float64(messages)
		return err
	})
	w.benchSink(writeFunc(func(context.Context, []Record) error { <-credit; return nil }), names)
	w.edgeOf("in0", "out").BufferMax = outstanding + 4*benchGroup
	e := w.engine()
	for _, l := range w.lanes(e) {
		l.maxBytes = 8 << 30
	}
	w.status(e.Run(context.Background()), StatusCompleted)
	return cost
}

// benchLag is benchOutstanding for the store alone: CPU time per row, in nanoseconds.
func benchLag(b *testing.B, outstanding int) float64 {
	st := benchStore(b)
	defer st.Close()
	behind := runtime.Seq(outstanding / benchGroup * benchGroup)
	appendOwn(b, st, int(behind), func(runtime.Seq) error { return nil })
	began := benchClock()
	appendOwn(b, st, steady(outstanding), func(last runtime.Seq) error {
		through := last - behind
		return st.SetCheckpoint(store.Checkpoint{Through: through, Balance: runtime.Balance{
			Opened: uint64(through), Delivered: uint64(through),
		}})
	})
	return began.since().total / float64(steady(outstanding))
}

// appendOwn appends n rows in groups, each of its own bytes.
func appendOwn(b *testing.B, st *store.Store, n int, after func(last runtime.Seq) error) {
	b.Helper()
	rows, now := make([]store.Row, benchGroup), time.Now()
	for ; n > 0; n -= benchGroup {
		for i := range rows {
			rows[i] = store.Row{Node: "in0", Message: runtime.Message{
				ID: "01234567890123456789012345", Payload: ownOrder(n + i), Codec: "raw", Source: "in0", Ingested: now,
			}}
		}
		first, err := st.Append(rows)
		if err == nil {
			err = after(first + benchGroup - 1)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}

// ownOrders is orders with messages that are made one by one.
func ownOrders(n int, after func()) Source {
	return sourceFunc(func(ctx context.Context, emit Emit) error {
		group := make([]Emission, benchGroup)
		for ; n > 0; n -= len(group) {
			for i := range group {
				group[i] = Emission{Payload: ownOrder(n + i), Position: strconv.AppendInt(nil, int64(n-i), 10)}
			}
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

// manyOrders are orders of 300 bytes, of which a quarter is their own.
var manyOrders = func() (all [4096][]byte) {
	random := rand.New(rand.NewPCG(1, 2))
	for n := range all {
		all[n] = bytes.Clone(order[:300])
		for at := 0; at < len(all[n]); at += 32 {
			v := random.Uint64()
			for i := range 8 {
				all[n][at+i] = "0123456789abcdef"[v>>(4*i)&15]
			}
		}
	}
	return all
}()

// ownOrder is a copy of one of them.
func ownOrder(n int) []byte { return bytes.Clone(manyOrders[n%len(manyOrders)]) }

// liveHeap is what a collection leaves, in bytes.
func liveHeap() float64 {
	var m goruntime.MemStats
	goruntime.GC()
	goruntime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}

// clock is the CPU time that this process has used.
type clock struct{ total, kernel time.Duration }

func benchClock() clock { return clock{cpuTime(), kernelTime()} }

// since is in nanoseconds.
func (c clock) since() (used struct{ total, kernel float64 }) {
	used.total, used.kernel = float64(cpuTime()-c.total), float64(kernelTime()-c.kernel)
	return used
}

// lanes are the rooms of all edges, for a test that needs larger ones.
func (w *world) lanes(e *Engine) (all []*lane) {
	for _, ed := range e.topology.edges {
		all = append(all, ed.lane)
	}
	return all
}
