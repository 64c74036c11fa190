package control

import (
	"testing"

	"github.com/leat-run/leat/engine/causal"
	"github.com/leat-run/leat/engine/topic"
	"github.com/leat-run/leat/store"
)

// Who claims a record claims what it claims, too (G2): a stage that does not read the record's topic has to wait for the causes of it. A
// claim on what is not there, or not any more, is that claim only.
func TestClaimFoldsTheClockOfItsRecord(t *testing.T) {
	log, err := store.OpenLog(t.TempDir(), store.Options{BallastBytes: -1})
	must(t, err)
	defer log.Close()
	l, ctx := Local{log}, t.Context()
	for _, name := range []string{"customers", "orders", "payments"} {
		_, err := l.Create(ctx, store.TopicSpec{Name: name, Partitions: 1})
		must(t, err)
	}
	put := func(name string, claims ...Place) {
		t.Helper()
		_, err := l.Append(ctx, Append{Topic: name, Records: []AppendRecord{{Value: []byte("1")}}, Claims: claims, Unchecked: true})
		must(t, err)
	}
	put("customers")
	put("orders", Place{Topic: "customers"})
	put("payments", Place{Topic: "orders"}, Place{Topic: "customers", Offset: 7})
	payments, err := l.find("payments")
	must(t, err)
	records, err := l.Read(ctx, ReadAt{Place: Place{Topic: "payments"}, Limit: 1})
	must(t, err)
	r, err := topic.Fetched(topic.ChannelOf(payments, 0), records[0]).Open()
	must(t, err)
	want := map[string]int64{"orders": 0, "customers": 7}
	for name, offset := range want {
		tp, _ := log.Topic(name)
		if got, ok := r.Clock.Offset(topic.ChannelOf(tp, 0)); !ok || got != offset {
			t.Errorf("the payment claims %s@%d, %v; want %d", name, got, ok, offset)
		}
	}
	put("payments", Place{Topic: "payments"})
	records, err = l.Read(ctx, ReadAt{Place: Place{Topic: "payments", Offset: 1}, Limit: 1})
	must(t, err)
	clock, err := causal.DecodeClock(records[0].Headers[0].Value)
	must(t, err)
	if clock.Len() != 3 {
		t.Errorf("the second payment claims %v", clock)
	}
}
