package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/leat-run/leat/runtime"
)

// batchModule makes instances that take batches, and remembers how large they were.
type batchModule struct {
	testModule
	mu    sync.Mutex
	sizes []int
}

func (m *batchModule) Instantiate(context.Context, runtime.Host) (runtime.Transform, error) {
	return &batchTransform{testTransform{module: &m.testModule}, m}, nil
}

type batchTransform struct {
	testTransform
	batches *batchModule
}

func (t *batchTransform) Spent() runtime.Recycle { return runtime.RecycleNone }

func (t *batchTransform) ApplyBatch(ctx context.Context, in []runtime.Message, answers []runtime.Answer) {
	t.batches.mu.Lock()
	t.batches.sizes = append(t.batches.sizes, len(in))
	t.batches.mu.Unlock()
	for i := range in {
		answers[i] = runtime.Answer{}
		if answers[i].Result, answers[i].Err = t.module.apply(ctx, in[i]); answers[i].Err != nil {
			answers[i].Recycled = runtime.RecycleFailure
		}
	}
}

// Proves that messages which a guest takes together end as they do one by one: in order, a
// failure as its own letter, another attempt where one is due, and all of them counted.
func TestBatch(t *testing.T) {
	for _, workers := range []int{1, 3} {
		t.Run(fmt.Sprint(workers), func(t *testing.T) {
			w := newWorld(t)
			out := &memorySink{}
			var mu sync.Mutex
			queued := make(chan struct{}) // closed once enough wait to come together
			attempts := map[int]int{}
			m := &batchModule{testModule: testModule{apply: func(_ context.Context, m runtime.Message) (runtime.Result, error) {
				n := number(m)
				<-queued
				mu.Lock()
				attempts[n]++
				again := attempts[n]
				mu.Unlock()
				switch {
				case n%100 == 7:
					return runtime.Result{}, guestFault("seven")
				case n%100 == 8 && again == 1:
					return runtime.Result{}, &runtime.Failure{Kind: runtime.KindTimeout, Message: "slow"}
				case n%100 == 9:
					return runtime.Result{Null: true}, nil
				}
				return one(m), nil
			}}}
			w.source("in", &listSource{n: 1000, after: func(i int) {
				if i == 60 { // fewer than an edge holds
					close(queued)
				}
			}})
			node := w.transform("guest", nil, "in")
			node.Module, node.Workers = m, workers
			w.sink("out", out, "guest")
			w.status(w.run(), StatusPartial)
			var got, want []int
			for _, m := range out.got {
				got = append(got, number(m.Message))
			}
			for n := range 1000 {
				if n%100 != 7 && n%100 != 9 {
					want = append(want, n)
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("%d outputs, want %d in order", len(got), len(want))
			}
			if l := w.letters(); len(l) != 10 {
				t.Errorf("%d letters", len(l))
			}
			if len(m.sizes) == 0 || slices.Max(m.sizes) < 2 {
				t.Error("nothing came together")
			}
		})
	}
}

// Proves that what a batch could not answer, because the world failed, ends the run and is
// not committed.
func TestBatchWorldFault(t *testing.T) {
	w := newWorld(t)
	m := &batchModule{testModule: testModule{apply: func(_ context.Context, m runtime.Message) (runtime.Result, error) {
		if number(m) >= 20 {
			return runtime.Result{}, errors.New("the disk is gone")
		}
		return one(m), nil
	}}}
	w.source("in", &listSource{n: 100})
	w.transform("guest", nil, "in").Module = m
	out := &memorySink{}
	w.sink("out", out, "guest")
	o := w.run()
	w.status(o, StatusFailed)
	if o.Balance.Committed > 20 {
		t.Errorf("%d committed", o.Balance.Committed)
	}
}
