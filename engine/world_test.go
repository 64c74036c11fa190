package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/runtime"
	"github.com/leat-run/leat/store"
)

// world is one pipeline with a real store, whose ends are in the test's hands.
type world struct {
	t     testing.TB
	plan  *pipeline.Plan
	store *store.Store
	opt   Options

	sources map[string]Source
	sinks   map[string]Sink
	states  map[string][]byte // of sources, as they were opened
}

func newWorld(t testing.TB) *world {
	t.Helper()
	w := &world{
		t: t, sources: map[string]Source{}, sinks: map[string]Sink{}, states: map[string][]byte{},
		plan: &pipeline.Plan{
			Name: "test", Mode: pipeline.ModeBatch,
			Limits:  pipeline.Limits{MaxInFlight: 10_000, MaxInFlightBytes: 256 << 20, DrainTimeout: 10 * time.Second},
			DLQ:     pipeline.DLQ{MaxReplays: 5},
			Storage: pipeline.Storage{Fsync: true, SpoolRetention: 10_000},
		},
	}
	w.openStore(store.Options{Ephemeral: true})
	return w
}

func (w *world) openStore(o store.Options) {
	w.t.Helper()
	st, err := store.Open("", o)
	if err != nil {
		w.t.Fatal(err)
	}
	w.store = st
	w.t.Cleanup(func() { _ = st.Close() })
}

// source adds a source node; s may be nil for one that emits nothing.
func (w *world) source(name string, s Source) *world {
	w.plan.Sources = append(w.plan.Sources, &pipeline.Source{Name: name, Plugin: name, Decoder: "json"})
	w.sources[name] = s
	return w
}

// transform adds a transform node that runs f.
func (w *world) transform(name string, f applyFunc, from ...string) *pipeline.Transform {
	t := &pipeline.Transform{Name: name, Flavor: "test", Module: &testModule{apply: f}, Workers: 1, KeepOrder: true}
	w.plan.Transforms = append(w.plan.Transforms, t)
	for _, f := range from {
		w.edge(f, name)
	}
	return t
}

// sink adds a sink node.
func (w *world) sink(name string, s Sink, from ...string) *pipeline.Sink {
	p := &pipeline.Sink{Name: name, Plugin: name, Encoder: "json", BatchSize: 1, BatchTimeout: time.Second}
	w.plan.Sinks = append(w.plan.Sinks, p)
	w.sinks[name] = s
	for _, f := range from {
		w.edge(f, name)
	}
	return p
}

func (w *world) edge(from, to string) *pipeline.Edge {
	e := &pipeline.Edge{
		From: from, To: to, Required: true, Retries: 3, Backoff: pipeline.BackoffExponential,
		Timeout: 30 * time.Second, BufferMax: 128,
	}
	w.plan.Edges = append(w.plan.Edges, e)
	return e
}

func (w *world) edgeOf(from, to string) *pipeline.Edge {
	for _, e := range w.plan.Edges {
		if e.From == from && e.To == to {
			return e
		}
	}
	panic("no such edge")
}

func (w *world) engine() *Engine {
	w.t.Helper()
	o := w.opt
	o.Plan, o.Store = w.plan, w.store
	o.Endpoints = Endpoints{
		Sources: map[string]func(SourceEnv) (Source, error){},
		Sinks:   map[string]func(SinkEnv) (Sink, error){},
		Codecs:  map[string]Codec{"json": jsonCodec{}, "raw": rawCodec{}},
	}
	for name, s := range w.sources {
		o.Endpoints.Sources[name] = func(env SourceEnv) (Source, error) {
			w.states[name] = env.State
			return s, nil
		}
	}
	for name, s := range w.sinks {
		o.Endpoints.Sinks[name] = func(SinkEnv) (Sink, error) { return s, nil }
	}
	if o.BackoffBase == 0 {
		o.BackoffBase, o.BackoffCap, o.LetterBackoff = time.Millisecond, 4*time.Millisecond, time.Millisecond
	}
	e, err := New(o)
	if err != nil {
		w.t.Fatal(err)
	}
	return e
}

// run runs to the end and checks the balance.
func (w *world) run() Outcome {
	w.t.Helper()
	return w.runCtx(context.Background())
}

func (w *world) runCtx(ctx context.Context) Outcome {
	w.t.Helper()
	o := w.engine().Run(ctx)
	w.balance(o)
	return o
}

// balance checks decisions.md, Counting: for the run, and for the store.
func (w *world) balance(o Outcome) {
	w.t.Helper()
	if err := errors.Join(o.Balance.Check(), o.Total.Check()); err != nil {
		w.t.Error(err)
	}
	admitted := uint64(o.Read + o.Replayed + o.Injected)
	if got := o.Balance.Committed + uint64(o.Outstanding); got != admitted {
		w.t.Errorf("%d admitted, but %d committed + %d outstanding", admitted, o.Balance.Committed, o.Outstanding)
	}
	if o.Status == StatusFailed && o.Cause == FailureStore {
		return
	}
	checkpoint, err := w.store.Checkpoint()
	if err != nil || checkpoint.Balance != o.Total.Balance || checkpoint.Through != runtime.Seq(o.Total.Committed) {
		w.t.Errorf("the durable balance is %+v (%v), the run's %+v", checkpoint, err, o.Total)
	}
}

func (w *world) letters() (all []store.DeadLetter) {
	w.t.Helper()
	if err := w.store.Letters(func(l store.DeadLetter) error { all = append(all, l); return nil }); err != nil {
		w.t.Fatal(err)
	}
	return all
}

func (w *world) status(o Outcome, want Status) {
	w.t.Helper()
	if o.Status != want {
		w.t.Fatalf("the run ended as %s (%s), want %s", o.Status, o.Failure, want)
	}
}

// listSource emits messages 0..n-1 from its committed position on, in groups.
type listSource struct {
	n, group int
	make     func(i int) Emission // nil makes {"i":N}
	after    func(i int)          // after emission i was accepted
	start    int
	mu       sync.Mutex
	commits  []string
}

func (s *listSource) Run(ctx context.Context, emit Emit) error {
	size := max(s.group, 1)
	for i := s.start; i < s.n; {
		var group []Emission
		for len(group) < size && i < s.n {
			group = append(group, s.emission(i))
			i++
		}
		if err := emit(ctx, group); err != nil {
			return err
		}
		if s.after != nil {
			s.after(i - 1)
		}
	}
	return nil
}

func (s *listSource) emission(i int) Emission {
	e := Emission{ID: "m" + strconv.Itoa(i), Payload: fmt.Appendf(nil, `{"i":%d}`, i)}
	if s.make != nil {
		e = s.make(i)
	}
	e.Position = runtime.Position(strconv.Itoa(i + 1))
	return e
}

func (s *listSource) Commit(_ context.Context, p runtime.Position) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.commits = append(s.commits, string(p))
	return p, nil
}

func (s *listSource) last() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.commits) == 0 {
		return ""
	}
	return s.commits[len(s.commits)-1]
}

func (s *listSource) Close() error { return nil }

// memorySink keeps what it got; write may refuse.
type memorySink struct {
	write func(ctx context.Context, batch []Record) error
	mu    sync.Mutex
	got   []Record
	sizes []int
}

func (s *memorySink) Write(ctx context.Context, batch []Record) error {
	if s.write != nil {
		if err := s.write(ctx, batch); err != nil {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.got = append(s.got, batch...)
	s.sizes = append(s.sizes, len(batch))
	return nil
}

func (s *memorySink) Close() error { return nil }

func (s *memorySink) payloads() (out []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.got {
		out = append(out, string(r.Bytes))
	}
	return out
}

func (s *memorySink) ids() (out []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.got {
		out = append(out, r.Message.ID)
	}
	return out
}

// applyFunc is a guest. It runs on the worker's goroutine.
type applyFunc func(ctx context.Context, m runtime.Message) (runtime.Result, error)

type testModule struct {
	apply       applyFunc
	instantiate func() error
}

func (m *testModule) Digest() string              { return "sha256:test" }
func (m *testModule) Warnings() []runtime.Warning { return nil }
func (m *testModule) Close() error                { return nil }

func (m *testModule) Instantiate(context.Context, runtime.Host) (runtime.Transform, error) {
	if m.instantiate != nil {
		if err := m.instantiate(); err != nil {
			return nil, err
		}
	}
	return &testTransform{module: m}, nil
}

type testTransform struct {
	module *testModule
	spent  runtime.Recycle
}

func (t *testTransform) Apply(ctx context.Context, m runtime.Message) (runtime.Result, error) {
	r, err := t.module.apply(ctx, m)
	if err != nil {
		t.spent = runtime.RecycleFailure
	}
	return r, err
}

func (t *testTransform) Spent() runtime.Recycle { return t.spent }
func (t *testTransform) Close() error           { return nil }

func identity(_ context.Context, m runtime.Message) (runtime.Result, error) { return one(m), nil }

func one(m runtime.Message) runtime.Result { return runtime.Result{Out: []runtime.Message{m}} }

func guestFault(message string) *runtime.Failure {
	return &runtime.Failure{Kind: runtime.KindGuest, Deterministic: true, Message: message}
}

func number(m runtime.Message) int {
	var v struct{ I int }
	if err := json.Unmarshal(m.Payload, &v); err != nil {
		panic(err)
	}
	return v.I
}

type jsonCodec struct{}

func (jsonCodec) Decode(raw []byte) ([]byte, error) {
	if !json.Valid(raw) {
		return nil, errors.New("offset 0: no JSON")
	}
	return raw, nil
}

func (jsonCodec) Encode(m runtime.Message) ([]byte, error) {
	if m.Codec != "json" {
		return nil, errors.New("the payload is no JSON")
	}
	return m.Payload, nil
}

type rawCodec struct{}

func (rawCodec) Decode(raw []byte) ([]byte, error)        { return raw, nil }
func (rawCodec) Encode(m runtime.Message) ([]byte, error) { return m.Payload, nil }
