package engine

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/runtime"
)

// A run that is stopped while its disk is full ends all the same: what waits for the disk
// is left behind and ends with the store. Everything that was accepted is delivered by the
// next run, once there is room.
func TestStopOnAFullDisk(t *testing.T) {
	mem := vfs.NewMem()
	d, dir := newFullDisk(mem), t.TempDir()
	w, out := newWorld(t), &memorySink{}
	w.open(dir, d)
	w.plan.Mode = pipeline.ModeContinuous
	w.plan.Limits.DrainTimeout, w.opt.Grace = 10*time.Millisecond, 10*time.Millisecond
	var accepted atomic.Int64
	w.source("in", endless(&accepted))
	w.sink("out", out, "in")
	e := w.engine()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan Outcome)
	go func() { ended <- e.Run(ctx) }()
	waitFor(t, func() bool { return accepted.Load() > 50 })
	d.full.Store(true)
	waitFor(t, func() bool { return e.Status().Blocked == "disk" })
	cancel()
	o := <-ended
	w.status(o, StatusInterrupted)
	delivered := len(out.payloads())
	if err := w.store.Close(); err != nil {
		t.Error(err)
	}
	w.open(dir, mem)
	w.sources["in"] = &listSource{}
	w.plan.Mode, w.plan.Limits.DrainTimeout = pipeline.ModeBatch, time.Minute
	o = w.run()
	w.status(o, StatusCompleted)
	if got := len(out.got); got < int(accepted.Load()) || o.Replayed < accepted.Load()-int64(delivered) {
		t.Errorf("%d accepted, %d delivered before and %d after", accepted.Load(), delivered, got)
	}
}

// A disk whose syncs are slow, under the real Pebble: sources are held back, which Status
// says, the time that a row takes to be durable contains the wait, and nothing is lost.
func TestSlowDisk(t *testing.T) {
	d, seen, out := newDisk(vfs.NewMem()), &watcher{}, &memorySink{}
	w := newWorld(t).on(d)
	w.plan.Mode, w.opt.Observer, w.plan.Limits.MaxInFlight = pipeline.ModeContinuous, seen, 4
	var accepted atomic.Int64
	for i := range 8 {
		name := fmt.Sprint("in", i)
		w.source(name, endless(&accepted))
		w.sink("out"+name, out, name)
	}
	e := w.engine()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan Outcome)
	go func() { ended <- e.Run(ctx) }()
	var slowest time.Duration
	for round := range int64(5) {
		waitFor(t, func() bool { return accepted.Load() > 20*round })
		began := time.Now()
		release := d.block()
		waitFor(t, func() bool { return e.Status().Backpressure.Waiting > 0 && e.Status().InFlight == 0 })
		slowest = max(slowest, time.Since(began))
		release(nil)
	}
	cancel()
	o := <-ended
	w.balance(o)
	w.status(o, StatusInterrupted)
	if s := e.Status(); int64(len(out.got)) != o.Read || o.Outstanding != 0 || s.Backpressure.Waits < 5 || s.Backpressure.Waiting != 0 {
		t.Errorf("%d delivered, backpressure %+v, outcome %+v", len(out.got), s.Backpressure, o)
	}
	if seen.appended != int(o.Read) || seen.committed != int(o.Read) || seen.slowestAppend == 0 || seen.slowest == 0 {
		t.Errorf("%d rows appended, %d committed, the slowest in %v and %v", seen.appended, seen.committed, seen.slowestAppend, seen.slowest)
	}
	t.Logf("syncs were held up for up to %v; a row took up to %v to be durable, a message up to %v to be committed", slowest, seen.slowestAppend, seen.slowest)
}

// Dead letters are written beside the node that made them, and no more than letterWrites at
// a time: then the node waits. None of their messages is committed before.
func TestLetterWritesAreBounded(t *testing.T) {
	d := newDisk(vfs.NewMem())
	w := newWorld(t).on(d)
	var release func(error)
	w.source("in", &listSource{n: 200, group: 200})
	w.transform("guest", func(context.Context, runtime.Message) (runtime.Result, error) {
		if release == nil {
			release = d.block()
		}
		return runtime.Result{}, guestFault("no")
	}, "in")
	w.sink("out", &memorySink{}, "guest")
	e := w.engine()
	ended := make(chan Outcome)
	go func() { ended <- e.Run(t.Context()) }()
	waitFor(t, func() bool { return len(e.writer.room) == letterWrites && e.Status().Nodes[0].In > letterWrites })
	if s := e.Status(); s.Nodes[0].In != letterWrites+1 || s.Letters != 0 || s.Frontier != 0 {
		t.Errorf("%d calls, %d letters, committed through %d", s.Nodes[0].In, s.Letters, s.Frontier)
	}
	release(nil)
	o := <-ended
	w.balance(o)
	w.status(o, StatusPartial)
	if len(w.letters()) != 200 || o.Checkpoint != 200 {
		t.Errorf("%d letters, outcome %+v", len(w.letters()), o)
	}
}
