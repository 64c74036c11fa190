package engine

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/runtime"
	"github.com/leat-run/leat/store"
)

// A plan whose names mean nothing is refused before anything starts, with the node.
func TestNewRefusesUnknownNames(t *testing.T) {
	for want, break_ := range map[string]func(*pipeline.Plan){
		`source in: there is no plugin "kafka"`: func(p *pipeline.Plan) { p.Sources[0].Plugin = "kafka" },
		`source in: there is no codec "avro"`:   func(p *pipeline.Plan) { p.Sources[0].Decoder = "avro" },
		`there is no plugin "s3"`:               func(p *pipeline.Plan) { p.Sinks[0].Plugin = "s3" },
		`sink out: there is no codec "avro"`:    func(p *pipeline.Plan) { p.Sinks[0].Encoder = "avro" },
	} {
		w := newWorld(t)
		w.source("in", &listSource{})
		w.sink("out", &memorySink{}, "in")
		break_(w.plan)
		_, err := New(Options{Plan: w.plan, Store: w.store, Endpoints: Endpoints{
			Sources: map[string]func(SourceEnv) (Source, error){"in": nil}, Codecs: map[string]Codec{"json": jsonCodec{}},
		}})
		if err == nil || !strings.HasPrefix(err.Error(), "engine: ") {
			t.Errorf("%s: %v", want, err)
		}
		e := w.opt
		e.Plan, e.Store = w.plan, w.store
		e.Endpoints = Endpoints{
			Sources: map[string]func(SourceEnv) (Source, error){"in": func(SourceEnv) (Source, error) { return nil, nil }},
			Sinks:   map[string]func(SinkEnv) (Sink, error){"out": func(SinkEnv) (Sink, error) { return nil, nil }},
			Codecs:  map[string]Codec{"json": jsonCodec{}},
		}
		if _, err := New(e); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// startSource says where it begins.
type startSource struct {
	listSource
	start []byte
}

func (s *startSource) Start(context.Context) ([]byte, error) { return s.start, nil }

// Where a source begins is kept before it runs: a run that fails before its first commit has begun all the same.
func TestStartOfASourceIsKept(t *testing.T) {
	w := newWorld(t)
	source := &startSource{start: []byte("at 7")}
	w.source("in", source)
	w.sink("out", &memorySink{}, "in")
	w.status(w.run(), StatusCompleted)
	source.start = nil
	w.status(w.run(), StatusCompleted)
	if got := string(w.states["in"]); got != "at 7" {
		t.Errorf("the second run began with %q", got)
	}
}

// tally counts what was opened and closed, by name.
type tally struct {
	mu    sync.Mutex
	names []string
}

func (c *tally) add(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.names = append(c.names, name)
}

type talliedSink struct {
	memorySink
	closed func()
}

func (s *talliedSink) Close() error { s.closed(); return nil }

type talliedSource struct {
	listSource
	closed func()
}

func (s *talliedSource) Close() error { s.closed(); return nil }

// talliedModule makes instances that tell when they are closed, up to most of them.
type talliedModule struct {
	testModule
	made   int
	most   int
	closed func()
}

func (m *talliedModule) Instantiate(context.Context, runtime.Host) (runtime.Transform, error) {
	if m.made++; m.made > m.most {
		return nil, errors.New("no more")
	}
	return &talliedTransform{testTransform{module: &m.testModule}, m.closed}, nil
}

type talliedTransform struct {
	testTransform
	closed func()
}

func (t *talliedTransform) Close() error { t.closed(); return nil }

// Whatever was opened is closed, once: at the end of a run, and where the start fails half
// way, at the second of three instances.
func TestEverythingOpenedIsClosed(t *testing.T) {
	for _, c := range []struct {
		most   int
		status Status
		want   string
	}{
		{3, StatusCompleted, "instance instance instance sink source"},
		{1, StatusFailed, "instance"},
	} {
		w, closed := newWorld(t), &tally{}
		w.source("in", &talliedSource{listSource{n: 5}, func() { closed.add("source") }})
		guest := w.transform("guest", nil, "in")
		guest.Workers = 3
		guest.Module = &talliedModule{testModule: testModule{apply: identity}, most: c.most, closed: func() { closed.add("instance") }}
		w.sink("out", &talliedSink{closed: func() { closed.add("sink") }}, "guest")
		w.status(w.run(), c.status)
		slices.Sort(closed.names)
		if got := strings.Join(closed.names, " "); got != c.want {
			t.Errorf("closed %s, want %s", got, c.want)
		}
	}
}

// A run that is stopped while it replays what a crash left stops the scan without an error:
// the rest is there for the next run. Nobody calls it done while it scans.
func TestReplayEndsWithTheRun(t *testing.T) {
	w := newWorld(t)
	rows := make([]store.Row, 1000)
	for i := range rows {
		rows[i] = store.Row{Node: "in", Message: runtime.Message{ID: "x", Payload: []byte("1"), Codec: "json"}}
	}
	if _, err := w.store.Append(rows); err != nil {
		t.Fatal(err)
	}
	w.plan.Limits.MaxInFlight = 10
	w.source("in", &listSource{})
	ctx, cancel := context.WithCancel(t.Context())
	w.sink("out", &memorySink{write: func(context.Context, []Record) error { cancel(); return nil }}, "in")
	o := w.runCtx(ctx)
	w.status(o, StatusInterrupted)
	if o.Replayed == 0 || o.Replayed == 1000 || o.Outstanding != 0 {
		t.Errorf("outcome %+v", o)
	}
	w.sinks["out"] = &memorySink{}
	if again := w.run(); again.Replayed != 1000-o.Replayed || again.Status != StatusCompleted {
		t.Errorf("the next run: %+v", again)
	}
}

// A sink that was filling a batch when the run fails writes what it holds, once.
func TestHardStopFlushesWhatASinkHolds(t *testing.T) {
	w := newWorld(t)
	out := &memorySink{}
	var e *Engine
	var made atomic.Int64
	w.source("in", &listSource{n: 10})
	guest := w.transform("guest", func(_ context.Context, m runtime.Message) (runtime.Result, error) {
		if number(m) < 7 {
			return one(m), nil
		}
		waitFor(t, func() bool { return e.topology.nodes["out"].inbox.waiting() == 0 })
		return runtime.Result{}, guestFault("and there is no other instance")
	}, "in")
	guest.Module.(*testModule).instantiate = func() error {
		if made.Add(1) > 1 {
			return errors.New("no more")
		}
		return nil
	}
	w.sink("out", out, "guest").BatchSize = 100
	w.plan.Sinks[0].BatchTimeout = 1 << 40
	e = w.engine()
	o := e.Run(t.Context())
	w.balance(o)
	w.status(o, StatusFailed)
	if len(out.got) != 7 || o.Balance.Delivered != 7 || o.Outstanding != int(o.Read)-8 {
		t.Errorf("%d delivered, outcome %+v", len(out.got), o)
	}
}

// An error that a source returns because it was told to stop is no failure of the source.
func TestSourceErrorWhileStoppingIsNoFailure(t *testing.T) {
	w := newWorld(t)
	ctx, cancel := context.WithCancel(t.Context())
	w.plan.Mode = pipeline.ModeContinuous
	w.source("in", sourceFunc(func(ctx context.Context, _ Emit) error {
		cancel()
		<-ctx.Done()
		return errors.New("the connection is closed")
	}))
	w.sink("out", &memorySink{}, "in")
	w.status(w.runCtx(ctx), StatusInterrupted)
}

// Runs of one pipeline can share a gate: together they hold no more than it has.
func TestGateIsSharedByRuns(t *testing.T) {
	gate := NewGate(10, 1<<20)
	var most atomic.Int64
	var runs sync.WaitGroup
	for range 3 {
		w := newWorld(t)
		w.opt.Gate = gate
		w.source("in", &listSource{n: 200, group: 3})
		w.sink("out", &memorySink{write: func(context.Context, []Record) error {
			messages, _ := gate.used()
			most.Store(max(most.Load(), int64(messages)))
			yield()
			return nil
		}}, "in")
		runs.Go(func() { w.status(w.run(), StatusCompleted) })
	}
	runs.Wait()
	if used, bytes := gate.used(); used != 0 || bytes != 0 || most.Load() > 10 || most.Load() == 0 {
		t.Errorf("at most %d were in flight; %d messages and %d bytes are held at the end", most.Load(), used, bytes)
	}
}

// loggingModule makes instances that log through their host.
type loggingModule struct{ testModule }

func (m *loggingModule) Instantiate(_ context.Context, host runtime.Host) (runtime.Transform, error) {
	host.Log("warn", "made")
	return &testTransform{module: &m.testModule}, nil
}

// A guest logs as its node, at the level that it says, or to whom Options.GuestLog names.
func TestGuestLogsAsItsNode(t *testing.T) {
	var text lockedBuffer
	w := newWorld(t)
	w.opt.Log = slog.New(slog.NewTextHandler(&text, nil))
	w.source("in", &listSource{})
	w.transform("guest", nil, "in").Module = &loggingModule{testModule{apply: identity}}
	w.sink("out", &memorySink{}, "guest")
	w.status(w.run(), StatusCompleted)
	if got := text.String(); !strings.Contains(got, "level=WARN msg=made node=guest") {
		t.Errorf("logged %s", got)
	}
	told := ""
	w.opt.GuestLog = func(node *pipeline.Transform, level, text string) { told += node.Name + " " + level + " " + text }
	w.status(w.run(), StatusCompleted)
	if told != "guest warn made" || strings.Count(text.String(), "made") != 1 {
		t.Errorf("told %q, logged %s", told, text.String())
	}
}
