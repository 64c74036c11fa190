package console

import (
	"context"
	"fmt"
	"net/http"
	"testing"

	"github.com/leat-run/leat/engine/causal"
	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/engine/stage"
	"github.com/leat-run/leat/engine/topic"
	"github.com/leat-run/leat/runtime"
	"github.com/leat-run/leat/store"
)

// flavor compiles every script to the guest in Go that takes a record and emits nothing.
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

func (silentInstance) Apply(context.Context, runtime.Message) (runtime.Result, error) {
	return runtime.Result{Null: true}, nil
}

// withStage adds a running stage on orders and payments to the console: two orders were
// delivered, and a payment is held for an order that never came.
func withStage(t testing.TB) func(*Options, *pipeline.Plan) {
	t.Helper()
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	log, err := store.OpenLog(t.TempDir(), store.Options{BallastBytes: -1, MinFreeBytes: -1})
	must(err)
	topics := map[string]store.Topic{}
	for _, name := range []string{"orders", "payments"} {
		topics[name], err = log.CreateTopic(store.TopicSpec{Name: name, Partitions: 1})
		must(err)
	}
	put := func(name string, claims ...causal.Coordinate) {
		r, err := topic.Record{Value: []byte(`{}`)}.Stamped(causal.NewClock(claims...))
		must(err)
		_, err = log.AppendRecords(topics[name].ID, 0, []store.TopicRecord{r})
		must(err)
	}
	put("orders")
	put("orders")
	put("payments", causal.Coordinate{Channel: topic.ChannelOf(topics["orders"], 0), Offset: 7})
	document := "apiVersion: leat/v1\nkind: Stage\nmetadata: {name: ship}\ninputs: {orders: {}, payments: {}}\nhandle: {script: {source: x}}\n"
	plan, diagnostics := pipeline.ParseStage(t.Context(), "s.yaml", []byte(document), pipeline.LoadOptions{
		Catalog: pipeline.Catalog{Flavors: map[string]runtime.Flavor{"script": flavor{}}},
	})
	if plan == nil {
		t.Fatal(diagnostics)
	}
	s, err := stage.New(t.Context(), stage.Options{Plan: plan, Log: log})
	must(err)
	ended := make(chan stage.Outcome)
	go func() { ended <- s.Run(context.Background()) }()
	t.Cleanup(func() {
		s.Drain()
		<-ended
		must(plan.Close())
		must(log.Close())
	})
	(&world{TB: t}).eventually("it holds the payment", func() bool { return s.Counts().Delivered == 2 && len(s.Holds()) == 1 })
	return func(o *Options, _ *pipeline.Plan) { o.Stages = append(o.Stages, s) }
}

// A stage's row tells what it did, what it holds and for which cause; a run without stages
// has an empty list.
func TestStagesAreListed(t *testing.T) {
	w := newWorld(t, withStage(t))
	rows := get[[]stageJSON](w, "/api/stages")
	if len(rows) != 1 || rows[0].Stage != "ship" || rows[0].Delivered != 2 || rows[0].Held != 1 || rows[0].Blocked == nil {
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
