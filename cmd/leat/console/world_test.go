package console

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/leat-run/leat/engine"
	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/runtime"
	"github.com/leat-run/leat/store"
)

// childEnv is set in a process that one test runs in alone.
const childEnv = "LEAT_CONSOLE_TEST_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(childEnv) != "" {
		os.Exit(m.Run())
	}
	goleak.VerifyTestMain(m)
}

const testToken = "0123456789abcdef-token"

// world is a console on a running pipeline with a real store: in -> check -> out. check
// fails on a payload that holds "bad", until it is replayed if it holds "once".
type world struct {
	testing.TB
	server   *Server
	engine   *engine.Engine
	store    *store.Store
	plan     *pipeline.Plan
	feed     chan []engine.Emission
	recorder *Recorder
	// holdWrites keeps the sink from writing.
	holdWrites sync.Mutex
}

func newWorld(t testing.TB, change ...func(*Options, *pipeline.Plan)) *world {
	t.Helper()
	w := &world{TB: t, feed: make(chan []engine.Emission)}
	w.plan = testPlan(1)
	options := Options{
		Address: "127.0.0.1:0", Version: "test",
		Letter: func(l store.DeadLetter) any { return map[string]any{"id": l.ID, "payload": string(l.Message.Payload)} },
		Show: func(out io.Writer, l store.DeadLetter) {
			fmt.Fprintf(out, "%s: %s: %s", l.Node, l.Reason, l.Message.Payload)
		},
	}
	for _, f := range change {
		f(&options, w.plan)
	}
	st, err := store.Open("", store.Options{Ephemeral: true})
	w.must(err)
	w.store = st
	w.recorder = NewRecorder(w.plan)
	w.engine, err = engine.New(engine.Options{Plan: w.plan, Store: st, Observer: w.recorder, Endpoints: w.endpoints()})
	w.must(err)
	options.Pipelines = []Pipeline{{Plan: w.plan, Store: st, Engine: w.engine, Codecs: w.endpoints().Codecs, Recorder: w.recorder}}
	w.server, err = Serve(options)
	w.must(err)
	ended := make(chan engine.Outcome)
	ctx, stop := context.WithCancel(context.Background())
	go func() { ended <- w.engine.Run(ctx) }()
	t.Cleanup(func() {
		w.must(w.server.Close())
		stop()
		<-ended
		w.must(st.Close())
		http.DefaultClient.CloseIdleConnections()
	})
	w.eventually("it runs", func() bool { return w.engine.Status().State == engine.StateRunning })
	return w
}

// testPlan has so many transforms in a row between in and out.
func testPlan(transforms int) *pipeline.Plan {
	plan := &pipeline.Plan{
		Name: "test", Mode: pipeline.ModeContinuous, DLQ: pipeline.DLQ{MaxReplays: 5},
		Limits:    pipeline.Limits{MaxInFlight: 1000, MaxInFlightBytes: 1 << 20, DrainTimeout: 5 * time.Second},
		Storage:   pipeline.Storage{MaxBytes: 1 << 30},
		Sources:   []*pipeline.Source{{Name: "in", Plugin: "feed", Decoder: "json"}},
		Sinks:     []*pipeline.Sink{{Name: "out", Plugin: "drop", Encoder: "json", BatchSize: 1}},
		Telemetry: pipeline.Telemetry{Redact: []string{"secret", "items.secret"}},
	}
	from := "in"
	for i := range transforms {
		name := "check"
		if i > 0 {
			name = fmt.Sprint("step", i)
		}
		budget := runtime.SharedDefaults()
		budget.Fuel, budget.Stack = 1000, 256
		plan.Transforms = append(plan.Transforms, &pipeline.Transform{
			Name: name, Flavor: "script", Module: module{}, Workers: 1, KeepOrder: true, Settings: runtime.Settings{Budget: budget},
		})
		plan.Edges = append(plan.Edges, testEdge(from, name))
		from = name
	}
	plan.Edges = append(plan.Edges, testEdge(from, "out"))
	return plan
}

func testEdge(from, to string) *pipeline.Edge {
	return &pipeline.Edge{From: from, To: to, Required: true, BufferMax: 128, Timeout: time.Second}
}

func (w *world) endpoints() engine.Endpoints {
	return engine.Endpoints{
		Sources: map[string]func(engine.SourceEnv) (engine.Source, error){"feed": func(engine.SourceEnv) (engine.Source, error) { return source{w.feed}, nil }},
		Sinks:   map[string]func(engine.SinkEnv) (engine.Sink, error){"drop": func(engine.SinkEnv) (engine.Sink, error) { return sink{w}, nil }},
		Codecs:  map[string]engine.Codec{"json": jsonCodec{}},
	}
}

// emit gives payloads to the source, and returns once each of them is committed.
func (w *world) emit(payloads ...string) {
	w.Helper()
	want := w.engine.Status().Balance.Committed + uint64(len(payloads))
	group := make([]engine.Emission, len(payloads))
	for i, p := range payloads {
		group[i] = engine.Emission{Payload: []byte(p)}
	}
	w.feed <- group
	w.eventually("what was emitted is committed", func() bool { return w.engine.Status().Balance.Committed >= want })
}

func (w *world) eventually(what string, done func() bool) {
	w.Helper()
	for range 3000 {
		if done() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	w.Fatal("not in half a minute:", what)
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// ask sends a request and returns the whole answer.
func (w *world) ask(method, path, body string, change ...func(*http.Request)) (status int, answer string, header http.Header) {
	w.Helper()
	r, err := http.NewRequest(method, "http://"+w.server.Address()+path, strings.NewReader(body))
	w.must(err)
	for _, f := range change {
		f(r)
	}
	response, err := http.DefaultClient.Do(r)
	w.must(err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	w.must(err)
	return response.StatusCode, string(text), response.Header
}

// get is ask for JSON that must come.
func get[T any](w *world, path string) (value T) {
	w.Helper()
	status, text, _ := w.ask("GET", path, "")
	if status != http.StatusOK {
		w.Fatalf("GET %s: %d %s", path, status, text)
	}
	w.must(json.Unmarshal([]byte(text), &value))
	return value
}

func post[T any](w *world, path, body string, want int) (value T) {
	w.Helper()
	status, text, _ := w.ask("POST", path, body)
	if status != want {
		w.Fatalf("POST %s %s: %d %s", path, body, status, text)
	}
	w.must(json.Unmarshal([]byte(text), &value))
	return value
}

type source struct{ feed chan []engine.Emission }

func (s source) Run(ctx context.Context, emit engine.Emit) error {
	for {
		select {
		case group := <-s.feed:
			if err := emit(ctx, group); err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (source) Commit(context.Context, runtime.Position) ([]byte, error) { return nil, nil }
func (source) Close() error                                             { return nil }

type sink struct{ w *world }

func (s sink) Write(context.Context, []engine.Record) error {
	s.w.holdWrites.Lock()
	defer s.w.holdWrites.Unlock()
	return nil
}
func (sink) Close() error { return nil }

type jsonCodec struct{}

func (jsonCodec) Decode(raw []byte) ([]byte, error) {
	if !json.Valid(raw) {
		return nil, fmt.Errorf("json: byte 0: no JSON")
	}
	return raw, nil
}
func (jsonCodec) Encode(m runtime.Message) ([]byte, error) { return m.Payload, nil }

// module is a guest in Go.
type module struct{}

func (module) Digest() string              { return "sha256:test" }
func (module) Warnings() []runtime.Warning { return nil }
func (module) Close() error                { return nil }
func (module) Instantiate(context.Context, runtime.Host) (runtime.Transform, error) {
	return instance{}, nil
}

type instance struct{}

func (instance) Apply(_ context.Context, m runtime.Message) (runtime.Result, error) {
	result := runtime.Result{Usage: runtime.Usage{Fuel: int64(100 + len(m.Payload)), Duration: 20 * time.Microsecond, Memory: 1 << 20}}
	switch {
	case bytes.Contains(m.Payload, []byte("bad")) && !(bytes.Contains(m.Payload, []byte("once")) && m.Meta[runtime.MetaIsReplay] == "true"):
		message := "<b>it is bad</b>"
		if bytes.Contains(m.Payload, []byte("quote")) { // as a guest does that is written so
			message += " in " + string(m.Payload)
		}
		return result, &runtime.Failure{Kind: runtime.KindGuest, Deterministic: true, Message: message, Log: message, File: "check.js", Line: 3, Column: 7}
	case bytes.Contains(m.Payload, []byte("none")):
		return result, nil
	}
	result.Out = []runtime.Message{{Payload: m.Payload, Codec: m.Codec}}
	return result, nil
}
func (instance) Spent() runtime.Recycle { return runtime.RecycleNone }
func (instance) Close() error           { return nil }
