package console

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"testing"

	"github.com/leat-run/leat/engine/causal"
	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/engine/stage"
	"github.com/leat-run/leat/engine/topic"
	"github.com/leat-run/leat/runtime"
	"github.com/leat-run/leat/store"
)

// flavor compiles every script to the guest in Go that takes a record and emits nothing,
// unless it is bad.
type flavor struct{}

func (flavor) Name() string { return "script" }
func (flavor) Defaults() runtime.Budget {
	b := runtime.SharedDefaults()
	b.Fuel, b.Stack = 1000, 256
	return b
}
func (flavor) Compile(context.Context, runtime.Code, runtime.Settings) (runtime.Module, error) {
	return silent{}, nil
}

type silent struct{ module }

func (silent) Instantiate(context.Context, runtime.Host) (runtime.Transform, error) {
	return silentInstance{}, nil
}

type silentInstance struct{ instance }

func (silentInstance) Apply(_ context.Context, m runtime.Message) (runtime.Result, error) {
	if bytes.Contains(m.Payload, []byte("bad")) {
		return runtime.Result{}, &runtime.Failure{Kind: runtime.KindGuest, Deterministic: true, Message: "<b>it is bad</b>"}
	}
	return runtime.Result{Null: true}, nil
}

// topicLog is a log with the topics orders and payments, which put appends to.
type topicLog struct {
	*world // to fail with: it has no console
	*store.Log
	topics map[string]store.Topic
}

func newTopicLog(t testing.TB, o store.Options) *topicLog {
	t.Helper()
	l := &topicLog{world: &world{TB: t}, topics: map[string]store.Topic{}}
	dir, roomy := t.TempDir(), o
	o.BallastBytes, roomy.BallastBytes, roomy.MinFreeBytes = -1, -1, -1
	first, err := store.OpenLog(dir, roomy) // a topic is made where there is room
	l.must(err)
	for _, name := range []string{"orders", "payments"} {
		l.topics[name], err = first.CreateTopic(store.TopicSpec{Name: name, Partitions: 1})
		l.must(err)
	}
	l.must(first.Close())
	l.Log, err = store.OpenLog(dir, o)
	l.must(err)
	t.Cleanup(func() { _ = l.Close() }) // of one that failed it says so
	return l
}

func (l *topicLog) put(name, value string, claims ...causal.Coordinate) error {
	l.Helper()
	r, err := topic.Record{Value: []byte(value)}.Stamped(causal.NewClock(claims...))
	l.must(err)
	_, err = l.AppendRecords(l.topics[name].ID, 0, []store.TopicRecord{r})
	return err
}

// stage is one on both topics. run starts it, and the test's end ends it.
func (l *topicLog) stage() (s *stage.Stage, run func()) {
	l.Helper()
	document := "apiVersion: leat/v1\nkind: Stage\nmetadata: {name: ship}\ninputs: {orders: {}, payments: {}}\nhandle: {script: {source: x}}\n"
	plan, diagnostics := pipeline.ParseStage(l.Context(), "s.yaml", []byte(document), pipeline.LoadOptions{
		Catalog: pipeline.Catalog{Flavors: map[string]runtime.Flavor{"script": flavor{}}},
	})
	if plan == nil {
		l.Fatal(diagnostics)
	}
	s, err := stage.New(l.Context(), stage.Options{Plan: plan, Log: l.Log})
	l.must(err)
	var running sync.WaitGroup
	ctx, stop := context.WithCancel(context.Background())
	l.Cleanup(func() {
		stop()
		running.Wait()
		l.must(errors.Join(s.Close(), plan.Close()))
	})
	return s, func() { running.Go(func() { s.Run(ctx) }) }
}

// withStage adds a running stage on orders and payments to the console: two orders were
// delivered, and a payment is held for an order that never came.
func withStage(t testing.TB) func(*Options, *pipeline.Plan) {
	t.Helper()
	l := newTopicLog(t, store.Options{MinFreeBytes: -1})
	l.must(l.put("orders", `{}`))
	l.must(l.put("orders", `{}`))
	l.must(l.put("payments", `{}`, causal.Coordinate{Channel: topic.ChannelOf(l.topics["orders"], 0), Offset: 7}))
	s, run := l.stage()
	run()
	l.eventually("it holds the payment", func() bool { return s.Counts().Delivered == 2 && len(s.Holds()) == 1 })
	return func(o *Options, _ *pipeline.Plan) { o.Stages, o.Topics = append(o.Stages, s), l.Log }
}

// A stage's row tells what it did, what it holds and for which cause; a run without stages
// has an empty list.
func TestStagesAreListed(t *testing.T) {
	w := newWorld(t, withStage(t))
	rows := get[[]stageJSON](w, "/api/stages")
	if len(rows) != 1 || rows[0].Stage != "ship" || rows[0].State != "running" || rows[0].Delivered != 2 || rows[0].Held != 1 || rows[0].Blocked == nil {
		t.Fatalf("%+v", rows)
	}
	h := rows[0].Holds[0]
	if got := fmt.Sprint(h.Topic, h.Offset, h.Missing[0].Topic, h.Missing[0].Offset, h.Missing[0].Code); got != "payments0orders7not-fetched" {
		t.Error(got)
	}
	if status, text, _ := newWorld(t).ask("GET", "/api/stages", ""); status != http.StatusOK || text != "[]\n" {
		t.Error(status, text)
	}
}
