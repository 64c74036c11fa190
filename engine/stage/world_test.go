package stage

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/leat-run/leat/engine/causal"
	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/engine/topic"
	"github.com/leat-run/leat/runtime"
	"github.com/leat-run/leat/store"
)

// TestMain makes this test binary double as the child that the kill sweep kills.
func TestMain(m *testing.M) {
	if os.Getenv(childEnv) != "" {
		os.Exit(killChild())
	}
	goleak.VerifyTestMain(m)
}

// guestCall is a call as a guest in Go sees it.
type guestCall struct {
	ctx   context.Context
	State json.RawMessage
	Msg   struct {
		Topic     string
		Partition int32
		Offset    int64
		Key       any
		Value     json.RawMessage
		Headers   map[string]any
	}
}

// guest is a guest in Go: what it returns is its answer as a value for encoding/json.
type guest func(c guestCall) (any, error)

// object is an answer, or a part of one.
type object = map[string]any

// goFlavor runs guests in Go. The code is the guest's name.
type goFlavor map[string]guest

func (f goFlavor) Name() string { return "script" }

func (f goFlavor) Defaults() runtime.Budget {
	b := runtime.SharedDefaults()
	b.Fuel, b.Stack = 1000, 100
	return b
}

func (f goFlavor) Compile(_ context.Context, code runtime.Code, _ runtime.Settings) (runtime.Module, error) {
	g, ok := f[string(code.Bytes)]
	if !ok {
		return nil, &runtime.Failure{Kind: runtime.KindCompile, Message: fmt.Sprintf("no guest %q", code.Bytes)}
	}
	return goModule{g}, nil
}

type goModule struct{ run guest }

func (m goModule) Digest() string              { return "sha256:go" }
func (m goModule) Warnings() []runtime.Warning { return nil }
func (m goModule) Close() error                { return nil }
func (m goModule) Instantiate(context.Context, runtime.Host) (runtime.Transform, error) {
	return goTransform(m), nil
}

type goTransform struct{ run guest }

func (g goTransform) Spent() runtime.Recycle { return "" }
func (g goTransform) Close() error           { return nil }
func (g goTransform) Apply(ctx context.Context, in runtime.Message) (runtime.Result, error) {
	var c guestCall
	if err := json.Unmarshal(in.Payload, &c); err != nil {
		return runtime.Result{}, err
	}
	c.ctx = ctx
	answer, err := g.run(c)
	if err != nil || answer == nil {
		return runtime.Result{Null: true}, err
	}
	text, err := json.Marshal(answer)
	in.Payload = text
	return runtime.Result{Out: []runtime.Message{in}, Usage: runtime.Usage{Fuel: 1}}, err
}

// failing is a failure of a guest.
func failing(kind runtime.Kind, deterministic bool) error {
	return &runtime.Failure{Kind: kind, Deterministic: deterministic, Message: "it failed"}
}

// world is a log and what stages on it did.
type world struct {
	*testing.T
	log    *store.Log
	dir    string
	guests goFlavor
	accept bool

	mu        sync.Mutex
	delivered []string // "topic:partition@offset", in the order of delivery
	warnings  []string
	onDeliver func(Delivery)
}

func newWorld(t *testing.T, topics ...string) *world {
	t.Helper()
	w := &world{T: t, dir: t.TempDir(), guests: goFlavor{"none": func(guestCall) (any, error) { return nil, nil }}}
	w.open()
	for _, name := range topics {
		w.create(name, 1)
	}
	return w
}

func (w *world) open() {
	w.Helper()
	log, err := store.OpenLog(w.dir, store.Options{BallastBytes: -1})
	w.must(err)
	w.log = log
	w.Cleanup(func() { _ = log.Close() })
}

// reopen is a restart of the process.
func (w *world) reopen() {
	w.Helper()
	w.must(w.log.Close())
	w.open()
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

func (w *world) create(name string, partitions int) store.Topic {
	w.Helper()
	t, err := w.log.CreateTopic(store.TopicSpec{Name: name, Partitions: partitions})
	w.must(err)
	return t
}

// channel is a topic's partition 0.
func (w *world) channel(name string) causal.Channel {
	w.Helper()
	t, ok := w.log.Topic(name)
	if !ok {
		w.Fatalf("no topic %s", name)
	}
	return topic.ChannelOf(t, 0)
}

// claim is "topic@offset" as an entry of a clock.
func (w *world) claim(text string) causal.Coordinate {
	w.Helper()
	name, number, _ := strings.Cut(text, "@")
	var offset int64
	if _, err := fmt.Sscan(number, &offset); err != nil {
		w.Fatal(text, err)
	}
	return causal.Coordinate{Channel: w.channel(name), Offset: offset}
}

// produce appends a record to partition 0 of a topic, with claims.
func (w *world) produce(name, key, value string, claims ...string) int64 {
	w.Helper()
	var entries []causal.Coordinate
	for _, c := range claims {
		entries = append(entries, w.claim(c))
	}
	t, _ := w.log.Topic(name)
	r, err := topic.Record{Key: []byte(key), Value: []byte(value)}.Stamped(causal.NewClock(entries...))
	w.must(err)
	offset, err := w.log.AppendRecords(t.ID, 0, []store.TopicRecord{r})
	w.must(err)
	return offset
}

// plan loads a stage document: the lines given, after a head.
func (w *world) plan(lines ...string) *pipeline.Stage {
	w.Helper()
	text := "apiVersion: leat/v1\nkind: Stage\n" + strings.Join(lines, "\n")
	if !strings.Contains(text, "metadata:") {
		text += "\nmetadata: {name: s}"
	}
	if !strings.Contains(text, "fold:") && !strings.Contains(text, "handle:") {
		text += "\nhandle: {script: {source: none}}"
	}
	plan, diagnostics := pipeline.ParseStage(context.Background(), "s.yaml", []byte(text), pipeline.LoadOptions{
		Catalog: pipeline.Catalog{Flavors: map[string]runtime.Flavor{"script": w.guests}},
	})
	if plan == nil {
		w.Fatal(diagnostics)
	}
	return plan
}

const batch = "run: {mode: batch}"

func (w *world) start(drain *topic.Drain, lines ...string) (*Stage, error) {
	return New(context.Background(), Options{
		Plan: w.plan(lines...), Log: w.log, AcceptLoss: w.accept, Drain: drain,
		Logger: slog.New(slog.NewTextHandler(w, nil)), Delivered: w.note,
	})
}

// Write takes a line of the log of stages.
func (w *world) Write(line []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.warnings = append(w.warnings, string(line))
	return len(line), nil
}

func (w *world) note(d Delivery) {
	w.mu.Lock()
	t, _ := w.log.TopicByID(store.TopicID(d.At.Channel.Topic))
	w.delivered = append(w.delivered, fmt.Sprintf("%s@%d", t.Name, d.At.Offset))
	hook := w.onDeliver
	w.mu.Unlock()
	if hook != nil {
		hook(d)
	}
}

// history returns what was delivered since it was asked last.
func (w *world) history() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	text := strings.Join(w.delivered, " ")
	w.delivered = nil
	return text
}

// said says whether a warning has all of the words.
func (w *world) said(words ...string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.ContainsFunc(w.warnings, func(line string) bool {
		return !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(line, word) })
	})
}

// batch runs a stage until its inputs are drained.
func (w *world) batch(lines ...string) Outcome {
	w.Helper()
	s, err := w.start(nil, append(lines, batch)...)
	w.must(err)
	o := s.Run(w.Context())
	if o.Err != nil {
		w.Fatal(o.Err)
	}
	return o
}

// refused starts a stage that must not start, and returns why.
func (w *world) refused(lines ...string) string {
	w.Helper()
	s, err := w.start(nil, lines...)
	if err == nil {
		_ = s.Close()
		w.Fatal("the start was not refused")
	}
	if !errors.Is(err, ErrStart) {
		w.Fatal("not a refused start: ", err)
	}
	return err.Error()
}

// values are the records of partition 0 of a topic as "key=value".
func (w *world) values(name string) (out []string) {
	w.Helper()
	for _, r := range w.records(name, 0) {
		out = append(out, fmt.Sprintf("%s=%s", r.Key, r.Value))
	}
	return out
}

func (w *world) records(name string, partition int32) (all []causal.Record) {
	w.Helper()
	t, ok := w.log.Topic(name)
	if !ok {
		w.Fatalf("no topic %s", name)
	}
	for from := t.Extents[partition].Start; from < t.Extents[partition].End; {
		records, err := w.log.ReadRecords(t.ID, partition, from, 1000)
		w.must(err)
		for _, r := range records {
			opened, err := topic.Fetched(topic.ChannelOf(t, partition), r).Open()
			w.must(err)
			all = append(all, opened)
		}
		from += int64(len(records))
	}
	return all
}

// eventually waits for a condition, and fails where it does not come.
func (w *world) eventually(what string, condition func() bool) {
	w.Helper()
	for deadline := time.Now().Add(20 * time.Second); !condition(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			w.Fatal("it never came to be: ", what)
		}
	}
}

func (w *world) equal(what string, got, want any) {
	w.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		w.Errorf("%s: %v, want %v", what, got, want)
	}
}

func testLogger(w *world) *slog.Logger { return slog.New(slog.NewTextHandler(w, nil)) }
