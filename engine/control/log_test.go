package control

import (
	"errors"
	"strings"
	"testing"

	"github.com/leat-run/leat/engine/causal"
	"github.com/leat-run/leat/engine/pipeline"
	"github.com/leat-run/leat/engine/stage"
	"github.com/leat-run/leat/store"
)

// One life of a log seen through its socket: what is done there is what Local does, and an error keeps its identity.
func TestLogSocket(t *testing.T) {
	log, err := store.OpenLog(t.TempDir(), store.Options{BallastBytes: -1})
	must(t, err)
	defer log.Close()
	s, err := ServeLog(log.Dir(), log)
	must(t, err)
	c, ctx := DialLog(s.Address()), t.Context()
	defer c.Close()

	spec := store.TopicSpec{Name: "orders", Partitions: 2, RetentionBytes: 1 << 20}
	made, err := c.Create(ctx, spec)
	must(t, err)
	if known, _ := log.Topic("orders"); known.ID != made.ID || made.TopicSpec != spec {
		t.Errorf("made %+v, there is %+v", made, known)
	}
	places, err := c.Append(ctx, Append{Topic: "orders", Records: []AppendRecord{
		{Key: []byte{}, Value: nil, Headers: []causal.Header{{Name: "h", Value: []byte{255}}}}, {Value: []byte("x")},
	}})
	must(t, err)
	if places[1] != (Place{"orders", 0, 0}) {
		t.Errorf("places %v", places)
	}
	records, err := c.Read(ctx, ReadAt{Place: places[0], Limit: 5})
	must(t, err)
	if len(records) != 1 || records[0].Key == nil || records[0].Value != nil || records[0].Headers[1].Value[0] != 255 {
		t.Errorf("records %+v", records)
	}
	_, exists := c.Create(ctx, spec)
	_, missing := c.Read(ctx, ReadAt{Place: Place{Topic: "nothing"}, Limit: 1})
	_, outside := c.Read(ctx, ReadAt{Place: Place{Topic: "orders", Offset: 9}, Limit: 1})
	_, claim := c.Append(ctx, Append{Topic: "orders", Claims: []Place{{"orders", 0, 9}}, Records: []AppendRecord{{}}})
	for _, pair := range [][2]error{{exists, store.ErrTopicExists}, {missing, store.ErrNoTopic}, {outside, store.ErrOffset}, {claim, ErrClaim}} {
		if !errors.Is(pair[0], pair[1]) {
			t.Errorf("%v is not %v", pair[0], pair[1])
		}
	}
	if state, err := c.Stage(ctx, "nobody"); err != nil || state.Running {
		t.Errorf("%+v, %v", state, err)
	}
	if _, err := c.ReplayStage(ctx, "nobody", "x"); err == nil || !strings.Contains(err.Error(), "not among those that run") {
		t.Error(err)
	}
	rests := stage.Outline{Name: "rests", Inputs: []pipeline.StageInput{{Topic: "orders"}}}
	if d, err := c.DescribeStage(ctx, rests); err != nil || d.Stage != "rests" {
		t.Errorf("%+v, %v", d, err)
	}
	if w, err := c.StageWaiting(ctx, rests); err != nil || w.Ready != 0 || len(w.Holds) != 0 {
		t.Errorf("%+v, %v", w, err)
	}
	rests.Inputs[0].Topic = "nothing"
	if _, err := c.StageWaiting(ctx, rests); !errors.Is(err, stage.ErrStart) {
		t.Error(err)
	}
	if _, err := c.StageWaiting(ctx, stage.Outline{}); err == nil {
		t.Error("an outline of nothing is taken")
	}
	must(t, c.Delete(ctx, "orders"))
	if all, err := c.List(ctx); err != nil || len(all) != 0 {
		t.Errorf("%v, %v", all, err)
	}
	must(t, s.Close())
}
