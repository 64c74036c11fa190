package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/leat-run/leat/engine/commit"
	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/runtime"
)

// A transform emits in the order in which messages entered it, whatever its workers:
// guests of uneven speed, some messages filtered, split, failed or retried, four workers.
func TestOrderIsKeptByManyWorkers(t *testing.T) {
	const n = 2000
	w := newWorld(t)
	out := &memorySink{}
	tries := sync.Map{}
	w.source("in", &listSource{n: n, group: 50})
	guest := w.transform("guest", func(_ context.Context, m runtime.Message) (runtime.Result, error) {
		i := number(m)
		for range i % 13 {
			yield()
		}
		switch {
		case i%11 == 0:
			return runtime.Result{Null: true}, nil
		case i%17 == 0:
			return runtime.Result{Out: []runtime.Message{m, m}}, nil
		case i%101 == 1:
			if _, again := tries.LoadOrStore(i, true); !again {
				return runtime.Result{}, &runtime.Failure{Kind: runtime.KindTimeout, Message: "slow"}
			}
		case i%103 == 2:
			return runtime.Result{}, guestFault("two")
		}
		return one(m), nil
	}, "in")
	guest.Workers = 4
	w.opt.ReorderWindow = 64
	w.sink("out", out, "guest").BatchSize = 10

	w.status(w.run(), StatusPartial)
	last := -1
	for _, r := range out.got {
		if i := number(r.Message); i < last {
			t.Fatalf("%d came after %d", i, last)
		} else {
			last = i
		}
	}
	if len(out.got) < n*8/10 {
		t.Errorf("only %d were delivered", len(out.got))
	}
}

// order: none lets a slow message be overtaken: nobody waits for it.
func TestOrderNoneLetsOthersPass(t *testing.T) {
	w := newWorld(t)
	others := make(chan struct{})
	out := &memorySink{}
	w.source("in", &listSource{n: 10})
	guest := w.transform("guest", func(_ context.Context, m runtime.Message) (runtime.Result, error) {
		if number(m) == 0 {
			<-others
		}
		return one(m), nil
	}, "in")
	guest.Workers, guest.KeepOrder = 2, false
	w.sink("out", &memorySink{write: func(ctx context.Context, b []Record) error {
		if len(out.payloads()) == 8 {
			close(others)
		}
		return out.Write(ctx, b)
	}}, "guest")
	w.status(w.run(), StatusCompleted)
	if ids := out.ids(); ids[9] != "m0" {
		t.Errorf("delivered in the order %v", ids)
	}
}

// partition_by gives equal keys to one worker and keeps the node's order besides; a
// message without a key is a dead letter of class predicate.
func TestPartitionByKey(t *testing.T) {
	for _, keep := range []bool{true, false} {
		t.Run(fmt.Sprintf("order=%t", keep), func(t *testing.T) { partition(t, keep) })
	}
}

func partition(t *testing.T, keep bool) {
	w := newWorld(t)
	out := &memorySink{}
	var mu sync.Mutex
	byKey := map[int][]int{}
	w.source("in", &listSource{n: 500, group: 20})
	guest := w.transform("guest", func(_ context.Context, m runtime.Message) (runtime.Result, error) {
		for range number(m) % 5 {
			yield()
		}
		mu.Lock()
		defer mu.Unlock()
		byKey[number(m)%7] = append(byKey[number(m)%7], number(m))
		return one(m), nil
	}, "in")
	guest.Workers, guest.KeepOrder = 3, keep
	guest.PartitionBy = keyOf(func(m runtime.Message) (string, error) {
		if number(m) == 250 {
			return "", errors.New("no such field")
		}
		return fmt.Sprint(number(m) % 7), nil
	})
	w.sink("out", out, "guest")
	w.status(w.run(), StatusPartial)
	for key, seen := range byKey {
		if !slices.IsSorted(seen) {
			t.Errorf("key %d was not in order: %v", key, seen)
		}
	}
	numbers := []int{}
	for _, r := range out.got {
		numbers = append(numbers, number(r.Message))
	}
	if keep && !slices.IsSorted(numbers) {
		t.Error("the node's order was not kept")
	}
	if l := w.letters(); len(numbers) != 499 || len(l) != 1 || l[0].Class != "predicate" || !strings.Contains(l[0].Reason, "no such field") {
		t.Errorf("%d delivered, letters %+v", len(numbers), l)
	}
}

func keyOf(f func(runtime.Message) (string, error)) *pipeline.Expression {
	return pipeline.Stub(func(m runtime.Message) (any, error) { return f(m) })
}

// The sequencer alone: parcels that are handed over in any order by many goroutines are
// emitted in order, and the window bounds how many are on their way.
func TestSequencerHammer(t *testing.T) {
	w := newWorld(t)
	out := &memorySink{}
	w.source("in", nil)
	w.sink("out", out, "in")
	e := w.engine()
	s := newSequencer(8, 1<<20)
	router := e.topology.sources["in"]
	var next struct {
		sync.Mutex
		ticket uint64
	}
	const n = 3000
	collected := make(chan []delivery)
	go func() {
		var all []delivery
		for len(all) < n {
			got, _, err := e.topology.nodes["out"].inbox.pop(t.Context(), nil, 100)
			if err != nil {
				break
			}
			all = append(all, got...)
		}
		collected <- all
	}()
	var wg sync.WaitGroup
	for range 5 {
		wg.Go(func() {
			for s.wait(t.Context()) == nil {
				next.Lock()
				ticket := next.ticket
				if ticket == n {
					next.Unlock()
					return
				}
				next.ticket++
				s.took(1)
				next.Unlock()
				for range ticket % 7 {
					yield()
				}
				o := s.outbox(e, router)
				o.lanes[0] = append(o.lanes[0], delivery{seq: runtime.Seq(ticket), edge: router.edges[0]})
				s.put(t.Context(), parcel{ticket: ticket, n: 1, out: o})
			}
		})
	}
	wg.Wait()
	for i, d := range <-collected {
		if d.seq != runtime.Seq(i) {
			t.Fatalf("place %d has %d", i, d.seq)
		}
	}
	if s.mu.ahead != 0 || len(s.mu.held) != 0 || s.mu.bytes != 0 {
		t.Errorf("the sequencer kept %+v", s.mu.held)
	}
}

// What ended in results that were never emitted is told once: a worker that was left behind, and
// ends after all, finds nothing to emit behind its own.
func TestSequencerSettlesOnce(t *testing.T) {
	w := newWorld(t)
	w.source("in", nil)
	w.sink("out", &memorySink{}, "in")
	e := w.engine()
	e.register(commit.Arrival{First: 1, Bytes: make([]int64, 2), Origin: commit.Origin{Source: commit.Nobody}})
	s := newSequencer(8, 1<<20)
	put := func(ticket uint64, seq runtime.Seq) {
		o := s.outbox(e, e.topology.sources["in"])
		o.end(seq, commit.Null)
		s.took(1)
		s.put(t.Context(), parcel{ticket: ticket, n: 1, out: o})
	}
	put(1, 2)
	s.settle(e)
	put(0, 1)
	if stats := e.tracker.Stats(); stats.Frontier != 2 || stats.Balance.Null != 2 {
		t.Errorf("the tracker knows %+v", stats)
	}
}

// A node whose worker cannot go on emits nothing out of order on its way down: what ended behind a
// message that did not stays for the next run.
func TestOrderIsKeptWhenAWorkerFails(t *testing.T) {
	for range 20 {
		w := newWorld(t)
		out := &memorySink{}
		w.source("in", &listSource{n: 20, group: 20})
		guest := w.transform("guest", func(ctx context.Context, m runtime.Message) (runtime.Result, error) {
			switch i := number(m); {
			case i == 0:
				<-ctx.Done()
				return runtime.Result{}, ctx.Err()
			case i%4 == 0:
				return runtime.Result{}, errors.New("the disk is gone")
			}
			return one(m), nil
		}, "in")
		guest.Workers = 2
		w.sink("out", out, "guest")
		w.status(w.run(), StatusFailed)
		if len(out.got) != 0 {
			t.Fatalf("%v came before m0", out.ids())
		}
	}
}
