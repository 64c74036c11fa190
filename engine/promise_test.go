package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/leat-run/leat/runtime"
	"github.com/leat-run/leat/store"
)

// Promise 1: a message is not visible to any node before its row is durable. The disk's
// sync is held up: the sink has seen nothing, the tracker knows nothing; it goes on, and
// the message arrives. Then a sync fails: emit's error is the refusal, nothing is seen.
func TestPromise1SpoolBeforeVisible(t *testing.T) {
	for _, c := range []struct {
		name string
		fail error
		seen int
		want Status
	}{
		{"durable", nil, 1, StatusCompleted},
		{"failed", errors.New("input/output error"), 0, StatusFailed},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, out := newDisk(vfs.NewMem()), &memorySink{}
			w := newWorld(t).on(d)
			verdict := make(chan error, 1)
			w.source("in", sourceFunc(func(ctx context.Context, emit Emit) error {
				err := emit(ctx, []Emission{{Payload: []byte("1")}})
				verdict <- err
				return err
			}))
			w.sink("out", out, "in")
			e := w.engine()
			ended := make(chan Outcome)
			release := d.block()
			go func() { ended <- e.Run(context.Background()) }()
			// The run's marker is the first write that waits; let it through.
			<-d.held
			release(nil)
			release = d.block()
			<-d.held
			if got := len(out.payloads()); got != 0 || e.Status().InFlight != 0 {
				t.Errorf("%d messages were seen before their row was durable", got)
			}
			release(c.fail)
			o := <-ended
			if err := <-verdict; (err == nil) != (c.fail == nil) {
				t.Errorf("emit returned %v", err)
			}
			w.status(o, c.want)
			if got := len(out.payloads()); got != c.seen {
				t.Errorf("the sink saw %d messages, want %d", got, c.seen)
			}
			if c.fail != nil && (o.Cause != FailureStore || !errors.Is(o.Err, store.ErrFailed)) {
				t.Errorf("the outcome is %+v", o)
			}
		})
	}
}

// sourceFunc is a source without state.
type sourceFunc func(ctx context.Context, emit Emit) error

func (f sourceFunc) Run(ctx context.Context, emit Emit) error { return f(ctx, emit) }
func (sourceFunc) Commit(context.Context, runtime.Position) ([]byte, error) {
	return nil, nil
}
func (sourceFunc) Close() error { return nil }

// Promise 2: the checkpoint advances only over the contiguous prefix whose every branch is
// terminal. Message 3 hangs while all others end; then one of the two branches of message
// 6 hangs while its sibling, and all other messages, are delivered.
func TestPromise2CheckpointIsContiguous(t *testing.T) {
	w := newWorld(t)
	hang3, hang6 := make(chan struct{}), make(chan struct{})
	out := &memorySink{}
	w.source("in", &listSource{n: 10})
	hangs := func(at int, until chan struct{}) applyFunc {
		return func(_ context.Context, m runtime.Message) (runtime.Result, error) {
			if number(m) == at {
				<-until
			}
			return one(m), nil
		}
	}
	w.transform("first", hangs(2, hang3), "in")
	w.transform("left", identity, "first")
	w.transform("right", hangs(5, hang6), "first")
	for _, tr := range w.plan.Transforms {
		tr.Workers, tr.KeepOrder = 2, false
	}
	w.sink("out", out, "left", "right")

	e := w.engine()
	ended := make(chan Outcome)
	go func() { ended <- e.Run(context.Background()) }()
	through := func(delivered int, want runtime.Seq) {
		t.Helper()
		waitFor(t, func() bool { return len(out.payloads()) == delivered && e.Status().Checkpoint >= want })
		if c, _ := w.store.Checkpoint(); c.Through != want || c.Balance.Check() != nil {
			t.Errorf("the checkpoint is %+v, want %d", c, want)
		}
	}
	through(20-2-1, 2)
	close(hang3)
	through(20-1, 5)
	close(hang6)
	o := <-ended
	w.balance(o)
	w.status(o, StatusCompleted)
	through(20, 10)
}

// waitFor yields until cond holds. The test's own deadline bounds it.
func waitFor(t *testing.T, cond func() bool) {
	t.Helper()
	for !cond() {
		if t.Context().Err() != nil {
			t.Fatal("it did not happen")
		}
		yield()
	}
}

// Promise 4: a dead letter that cannot be written blocks the commit of its message. The
// disk holds its sync up: the checkpoint stays before the message, however many messages
// after it ended; then the letter is written, and all is committed.
func TestPromise4NoCommitWithoutItsLetter(t *testing.T) {
	d := newDisk(vfs.NewMem())
	w := newWorld(t).on(d)
	out := &memorySink{}
	var release func(error)
	failing, blocked := make(chan struct{}), make(chan struct{})
	w.source("in", &listSource{n: 10, group: 10})
	w.transform("guest", func(_ context.Context, m runtime.Message) (runtime.Result, error) {
		if number(m) == 4 {
			close(failing)
			<-blocked
			return runtime.Result{}, guestFault("four")
		}
		return one(m), nil
	}, "in")
	guest := w.plan.Transforms[0]
	guest.Workers, guest.KeepOrder = 2, false
	w.sink("out", out, "guest")
	e := w.engine()
	ended := make(chan Outcome)
	go func() { ended <- e.Run(context.Background()) }()
	<-failing
	waitFor(t, func() bool {
		s := e.Status()
		return s.Balance.Delivered == 4 && s.Checkpoint == 4 && len(out.payloads()) == 9
	})
	release = d.block()
	close(blocked)
	<-d.held
	if s := e.Status(); s.Frontier != 4 || s.Checkpoint != 4 {
		t.Errorf("committed through %d, checkpoint %d, without the letter", s.Frontier, s.Checkpoint)
	}
	release(nil)
	o := <-ended
	w.balance(o)
	w.status(o, StatusPartial)
	if o.Checkpoint != 10 || len(w.letters()) != 1 {
		t.Errorf("outcome %+v with %d letters", o, len(w.letters()))
	}
}

// The other end of promise 4: the letter can never be written, since the store fails. The
// run fails with it, and the message is not committed.
func TestPromise4StoreFailsUnderALetter(t *testing.T) {
	d := newDisk(vfs.NewMem())
	w := newWorld(t).on(d)
	w.source("in", &listSource{n: 1})
	w.transform("guest", func(context.Context, runtime.Message) (runtime.Result, error) {
		d.block()(errors.New("input/output error"))
		return runtime.Result{}, guestFault("four")
	}, "in")
	w.sink("out", &memorySink{}, "guest")
	o := w.engine().Run(context.Background())
	w.status(o, StatusFailed)
	if o.Cause != FailureStore || o.Outstanding != 1 || o.Balance.Committed != 0 {
		t.Errorf("outcome %+v", o)
	}
}

// Promise 5: a failing edge with required: false ends its own branch only. Its sink
// refuses everything; the required sink gets everything, nothing is dead-lettered, and
// the drops are counted.
func TestPromise5OptionalEdgeEndsItsBranchOnly(t *testing.T) {
	w := newWorld(t)
	out := &memorySink{}
	bad := &memorySink{write: func(context.Context, []Record) error { return errors.New("no") }}
	w.source("in", &listSource{n: 20, group: 4})
	w.sink("bad", bad, "in").BatchSize = 7
	w.sink("out", out, "in")
	w.edgeOf("in", "bad").Required = false

	o := w.run()
	w.status(o, StatusCompleted)
	if o.Balance.Dropped != 20 || o.Balance.Delivered != 20 || len(w.letters()) != 0 || len(out.payloads()) != 20 {
		t.Errorf("balance %+v, %d letters", o.Balance, len(w.letters()))
	}
}

// Promise 6: a message's id is stable over redelivery and replay. The engine makes the
// ids; the first run is interrupted before anything is delivered, the second replays the
// rows; one of them fails, and its letter is replayed. The sink sees the ids that the
// first run's transform saw.
func TestPromise6IDsAreStable(t *testing.T) {
	w := newWorld(t)
	first, second := map[string]int{}, map[string]int{}
	into := first
	var mu sync.Mutex
	var fixed atomic.Bool
	w.source("in", &listSource{n: 10, group: 10, make: func(i int) Emission {
		return Emission{Payload: fmt.Appendf(nil, `{"i":%d}`, i)}
	}})
	w.transform("guest", func(_ context.Context, m runtime.Message) (runtime.Result, error) {
		mu.Lock()
		defer mu.Unlock()
		into[m.ID] = number(m)
		if number(m) == 3 && !fixed.Load() {
			return runtime.Result{}, guestFault("three")
		}
		return one(m), nil
	}, "in")
	ctx, cancel := context.WithCancel(context.Background())
	w.sink("out", &memorySink{write: func(ctx context.Context, _ []Record) error {
		cancel()
		<-ctx.Done()
		return ctx.Err()
	}}, "guest")
	w.plan.Limits.DrainTimeout = 1
	w.status(w.runCtx(ctx), StatusInterrupted)

	out := &memorySink{}
	mu.Lock()
	into = second
	mu.Unlock()
	w.sinks["out"] = out
	w.sources["in"] = &listSource{}
	o := w.run()
	if o.Replayed != 10 || o.Read != 0 {
		t.Fatalf("the second run replayed %d rows", o.Replayed)
	}
	if len(first) == 0 || len(second) != 10 {
		t.Fatalf("%d and %d ids were seen", len(first), len(second))
	}
	for id, i := range first {
		if second[id] != i {
			t.Errorf("message %d has another id after the replay", i)
		}
	}
	fixed.Store(true)
	w.opt.Feed = func(ctx context.Context, e *Engine) error {
		_, err := e.Replay(ctx, ReplayRequest{Delete: true})
		return err
	}
	w.run()
	delivered := slices.Sorted(slices.Values(out.ids()))
	if want := slices.Sorted(maps.Keys(second)); !slices.Equal(slices.Compact(delivered), want) {
		t.Errorf("delivered %v, want %v", delivered, want)
	}
}

// Promise 7: a source's watermark never passes what is committed, however branches end
// and however sources race: in every Commit, the durable checkpoint covers the position.
func TestPromise7WatermarkBehindTheCheckpoint(t *testing.T) {
	w := newWorld(t)
	var seqs sync.Map // "source/position" -> seq
	for s := range 4 {
		name := fmt.Sprintf("in%d", s)
		w.source(name, &watchedSource{
			listSource: listSource{n: 200, group: 3, make: func(i int) Emission {
				return Emission{ID: fmt.Sprintf("%s/%d", name, i+1), Payload: fmt.Appendf(nil, `{"i":%d}`, i)}
			}},
			check: func(p runtime.Position) {
				seq, ok := seqs.Load(name + "/" + string(p))
				c, err := w.store.Checkpoint()
				if !ok || err != nil || c.Through < seq.(runtime.Seq) {
					t.Errorf("%s was told %s (seq %v), the checkpoint is %d", name, p, seq, c.Through)
				}
			},
		})
	}
	guest := w.transform("guest", nil, "in0", "in1", "in2", "in3")
	guest.Workers, guest.KeepOrder = 4, false
	w.sink("out", &memorySink{write: func(context.Context, []Record) error { return nil }}, "guest")
	e := w.engine()
	// What the store has is the truth about seqs; the guest learns them from it.
	learn := func(from runtime.Seq) {
		_ = w.store.Rows(from, func(r store.Row) error { seqs.Store(r.Message.ID, r.Seq); return nil })
	}
	w.plan.Transforms[0].Module.(*testModule).apply = func(_ context.Context, m runtime.Message) (runtime.Result, error) {
		if _, ok := seqs.Load(m.ID); !ok {
			learn(0)
		}
		for range number(m) % 7 {
			yield()
		}
		return one(m), nil
	}
	o := e.Run(context.Background())
	w.balance(o)
	w.status(o, StatusCompleted)
	for name, s := range w.sources {
		if got := s.(*watchedSource).last(); got != "200" {
			t.Errorf("%s ended at %q", name, got)
		}
	}
}

// watchedSource looks at every position that it is told.
type watchedSource struct {
	listSource
	check func(runtime.Position)
}

func (s *watchedSource) Commit(ctx context.Context, p runtime.Position) ([]byte, error) {
	s.check(p)
	return s.listSource.Commit(ctx, p)
}

// Promise 8: sibling branches are isolated. One branch changes payload and meta of what it
// got; the other sees the message as it was.
func TestPromise8SiblingsAreIsolated(t *testing.T) {
	w := newWorld(t)
	out := &memorySink{}
	w.source("in", &listSource{n: 50, make: func(i int) Emission {
		return Emission{Payload: fmt.Appendf(nil, `{"i":%d}`, i), Meta: runtime.Meta{"a": "1"}}
	}})
	changed := make(chan struct{}, 50)
	w.transform("changes", func(_ context.Context, m runtime.Message) (runtime.Result, error) {
		m.Payload = append([]byte(`{"changed":true,`), m.Payload[1:]...)
		m.Meta = m.Meta.With("a", "2").With("leat.is_replay", "true")
		changed <- struct{}{}
		return one(m), nil
	}, "in")
	w.transform("sees", func(_ context.Context, m runtime.Message) (runtime.Result, error) {
		<-changed // the sibling was here first
		if want := fmt.Sprintf(`{"i":%d}`, number(m)); string(m.Payload) != want || m.Meta["a"] != "1" || len(m.Meta) != 1 {
			t.Errorf("a branch sees %s %v", m.Payload, m.Meta)
		}
		return one(m), nil
	}, "in")
	w.sink("out", out, "changes", "sees")
	w.status(w.run(), StatusCompleted)
	for _, r := range out.got {
		if r.Message.Meta["leat.is_replay"] != "" {
			t.Error("a guest wrote a reserved meta entry")
		}
	}
}
