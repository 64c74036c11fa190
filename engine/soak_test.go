package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	goruntime "runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/runtime"
	"github.com/leat-run/leat/store"
)

const (
	// soakTime overrides how long the soak runs.
	soakTime = "LEAT_SOAK"
	// soakRetention is small, so that a soak passes it many times over.
	soakRetention = 2000
	// soakRows bounds the spool: what is retained, the window by which the store trims, what is
	// in flight, and what is accepted while a checkpoint is on its way.
	soakRows = soakRetention + 10_000 + 1000 + 6*1000
	// soakDisk bounds the store's directory: a few memtables' worth of logs and tables.
	soakDisk    = 512 << 20
	soakSamples = 30
)

// A run under mixed load for LEAT_SOAK (20 s by default): two sources, several workers,
// instances that are spent, failures that pass and failures that do not, a sink that refuses, an
// edge that drops, syncs that are slow, letters that are replayed, deleted and swept.
// Memory, goroutines and the disk are as large in its last third as in its first, the spool is
// bounded by its retention, and at the end everything that was accepted is delivered, or
// is what can never be.
func TestSoak(t *testing.T) {
	if testing.Short() {
		t.Skip("a soak takes its time")
	}
	lasts := 20 * time.Second
	if d, err := time.ParseDuration(os.Getenv(soakTime)); err == nil {
		lasts = d
	}
	s := newSoak(t)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan Outcome)
	go func() { ended <- s.engine.Run(ctx) }()
	var beside sync.WaitGroup
	beside.Go(func() { s.replay(ctx) })
	samples := s.watch(lasts)
	cancel()
	o := <-ended
	beside.Wait()
	s.world.balance(o)
	s.world.status(o, StatusInterrupted)
	s.check(o, samples)
}

type soak struct {
	t       *testing.T
	world   *world
	engine  *Engine
	dir     string
	sources [2]*soakSource
}

func newSoak(t *testing.T) *soak {
	s := &soak{t: t, world: newWorld(t), dir: t.TempDir()}
	w := s.world
	_ = w.store.Close()
	st, err := store.Open(s.dir, store.Options{FS: slowSyncs(vfs.Default), MinFreeBytes: -1, Retention: soakRetention})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	w.store = st
	w.plan.Mode = pipeline.ModeContinuous
	w.plan.Limits.MaxInFlight, w.plan.Limits.DrainTimeout = 1000, time.Minute
	w.plan.Storage.SpoolRetention, w.plan.DLQ.Retention = soakRetention, 2*time.Second
	for i := range s.sources {
		s.sources[i] = &soakSource{name: fmt.Sprint("in", i)}
		w.source(s.sources[i].name, s.sources[i])
	}
	guest := w.transform("guest", soakGuest, "in0", "in1")
	guest.Workers = 3
	w.sink("out", writeFunc(s.deliver), "guest").BatchSize = 50
	w.plan.Sinks[0].BatchTimeout = 5 * time.Millisecond
	w.sink("optional", writeFunc(refuseSome), "guest").BatchSize = 10
	w.edgeOf("guest", "optional").Required, w.edgeOf("guest", "optional").Retries = false, 0
	for _, e := range w.plan.Edges[:3] {
		e.Retries = 30 // a failure that passes always does
	}
	s.engine = w.engine()
	return s
}

// slowSyncs makes one sync in twenty slow.
func slowSyncs(below vfs.FS) vfs.FS {
	return errorfs.Wrap(below, errorfs.InjectorFunc(func(op errorfs.Op) error {
		switch op.Kind {
		case errorfs.OpFileSync, errorfs.OpFileSyncData, errorfs.OpFileSyncTo:
			if rand.IntN(20) == 0 {
				time.Sleep(time.Duration(rand.IntN(5000)) * time.Microsecond)
			}
		}
		return nil
	}))
}

// soakSource emits 0, 1, 2 … until the run stops it, and knows what was delivered.
type soakSource struct {
	name      string
	accepted  atomic.Int64
	mu        sync.Mutex
	delivered []uint64 // a bit per message
}

func (s *soakSource) Run(ctx context.Context, emit Emit) error {
	for next := 0; ; {
		group := make([]Emission, 1+rand.IntN(100))
		for i := range group {
			group[i] = Emission{
				ID: fmt.Sprintf("%s/%d", s.name, next+i), Position: runtime.Position(fmt.Sprint(next + i + 1)),
				Payload: fmt.Appendf(nil, `{"i":%d,"pad":"%0*d"}`, next+i, 1+rand.IntN(400), 0),
			}
		}
		if err := emit(ctx, group); err != nil {
			return err
		}
		next += len(group)
		s.accepted.Store(int64(next))
	}
}

func (*soakSource) Commit(_ context.Context, p runtime.Position) ([]byte, error) {
	if rand.IntN(50) == 0 {
		return nil, errors.New("not now")
	}
	return p, nil
}

func (*soakSource) Close() error { return nil }

func (s *soakSource) note(i int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.delivered) <= i/64 {
		s.delivered = append(s.delivered, 0)
	}
	s.delivered[i/64] |= 1 << (i % 64)
}

func (s *soakSource) has(i int) bool {
	return i/64 < len(s.delivered) && s.delivered[i/64]>>(i%64)&1 == 1
}

// hopeless messages fail always; fixable ones until they are replayed.
func hopeless(i int) bool { return i%2000 == 77 }
func fixable(i int) bool  { return i%1000 == 33 }

func soakGuest(_ context.Context, m runtime.Message) (runtime.Result, error) {
	i := number(m)
	switch {
	case hopeless(i), fixable(i) && m.Meta[runtime.MetaIsReplay] == "":
		return runtime.Result{}, guestFault("not this one")
	case rand.IntN(200) == 0:
		return runtime.Result{}, &runtime.Failure{Kind: runtime.KindTimeout, Message: "slow this time"}
	}
	return one(m), nil
}

// deliver is a sink that refuses now and then, and keeps a bit per message.
func (s *soak) deliver(_ context.Context, batch []Record) error {
	if rand.IntN(50) == 0 {
		return errors.New("not now")
	}
	for _, r := range batch {
		s.sources[r.Message.Source[2]-'0'].note(number(r.Message))
	}
	return nil
}

// writeFunc is a sink that keeps nothing by itself.
type writeFunc func(context.Context, []Record) error

func (f writeFunc) Write(ctx context.Context, batch []Record) error { return f(ctx, batch) }
func (writeFunc) Close() error                                      { return nil }

// refuseSome refuses every third batch.
func refuseSome(context.Context, []Record) error {
	if rand.IntN(3) == 0 {
		return errors.New("no")
	}
	return nil
}

// replay replays what letters there are, five times a second.
func (s *soak) replay(ctx context.Context) {
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			_, err := s.engine.Replay(ctx, ReplayRequest{Delete: true})
			if err != nil && ctx.Err() == nil {
				s.t.Errorf("replay: %v", err)
			}
		case <-ctx.Done():
			return
		}
	}
}

// sample is what must not grow.
type sample struct {
	heap, disk, rows int64
	goroutines       int
}

func (s *soak) watch(lasts time.Duration) (samples []sample) {
	tick := time.NewTicker(lasts / soakSamples)
	defer tick.Stop()
	for range soakSamples {
		<-tick.C
		samples = append(samples, s.sample())
	}
	return samples
}

func (s *soak) sample() sample {
	goruntime.GC()
	var m goruntime.MemStats
	goruntime.ReadMemStats(&m)
	out := sample{heap: int64(m.HeapAlloc), rows: s.engine.Status().SpoolRows, goroutines: goruntime.NumGoroutine()}
	err := filepath.WalkDir(s.dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil // files come and go
		}
		if info, err := d.Info(); err == nil {
			out.disk += info.Size()
		}
		return nil
	})
	if err != nil {
		s.t.Error(err)
	}
	return out
}

func (s *soak) check(o Outcome, samples []sample) {
	s.t.Helper()
	third := len(samples) / 3
	first, last := usual(samples[:third]), usual(samples[2*third:])
	s.t.Logf("%d messages, %d letters, %d retries; first third %+v, last third %+v", o.Read, o.Letters, o.Retries, first, last)
	if last.heap > first.heap+first.heap/2+32<<20 || last.goroutines > first.goroutines+20 {
		s.t.Errorf("memory or goroutines grow: first third %+v, last third %+v", first, last)
	}
	all := largest(samples)
	if all.rows > soakRows || all.disk > soakDisk || last.disk > first.disk+soakDisk/2 {
		s.t.Errorf("the spool grows: at most %d rows and %d bytes should be there: first third %+v, last third %+v", soakRows, soakDisk, first, last)
	}
	if o.Outstanding != 0 || o.Letters == 0 || o.Retries == 0 || o.Balance.Dropped == 0 {
		s.t.Errorf("the load was not what it should be: %+v", o)
	}
	for _, src := range s.sources {
		for i := range int(src.accepted.Load()) {
			if got := src.has(i); got == hopeless(i) && !fixable(i) {
				s.t.Fatalf("message %d of %s: delivered is %v", i, src.name, got)
			}
		}
	}
}

// largest is the largest of each.
func largest(samples []sample) sample { return each(samples, func(n int) int { return n - 1 }) }

// usual is the median of each: what grows, grows in the middle too, while the largest is
// whatever was under way at one moment.
func usual(samples []sample) sample { return each(samples, func(n int) int { return n / 2 }) }

// each takes from each field the value whose rank among so many rank gives.
func each(samples []sample, rank func(n int) int) sample {
	by := func(f func(sample) int64) int64 {
		return f(slices.SortedFunc(slices.Values(samples), func(a, b sample) int { return cmp.Compare(f(a), f(b)) })[rank(len(samples))])
	}
	return sample{
		heap: by(func(s sample) int64 { return s.heap }), disk: by(func(s sample) int64 { return s.disk }),
		rows: by(func(s sample) int64 { return s.rows }), goroutines: int(by(func(s sample) int64 { return int64(s.goroutines) })),
	}
}
