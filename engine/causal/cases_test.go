package causal

import (
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// arrival feeds records, "PLACE claims..." each, and returns what was delivered.
func arrival(t *testing.T, w *world, records ...string) (delivered []string) {
	t.Helper()
	for _, r := range records {
		fields := strings.Fields(r)
		out, err := w.receive(fields[0], fields[1:]...)
		if err != nil {
			t.Fatal(err)
		}
		delivered = append(delivered, out...)
		if err := w.check(); err != nil {
			t.Fatal(err)
		}
	}
	return delivered
}

func expect(t *testing.T, got []string, want string) {
	t.Helper()
	if strings.Join(got, " ") != want {
		t.Fatalf("delivered %v, want %s", got, want)
	}
}

// TestCasesOfTheField runs the field's cases as arrival orders and the delivery order that each must give.
// The scripts tell the same at length, with holds, restarts and refusals.
func TestCasesOfTheField(t *testing.T) {
	cases := []struct{ name, inputs, arrive, deliver string }{
		{"G1CauseArrivesLate", "orders payments", "payments@0 orders@0|orders@0", "orders@0 payments@0"},
		{"G2Transitive", "customers orders payments", "payments@0 orders@0 customers@0|orders@0 customers@0|customers@0", "customers@0 orders@0 payments@0"},
		{"G3MarkerBridged", "orders payments", "orders@0|orders@1|payments@0 orders@2|orders@3", "orders@0 orders@1 payments@0 orders@3"},
		{"G5CompactionHole", "orders payments", "orders@10|orders@11|payments@0 orders@13|orders@24", "orders@10 orders@11 payments@0 orders@24"},
		{"G8IdleChannel", "a b idle", "a@0|b@0 idle@0|a@1", "a@0 a@1"},
		{"G14AppendedTwice", "orders", "orders@0|orders@1", "orders@0 orders@1"},
		{"G15SelfClaim", "orders", "orders@0 orders@0|orders@1 orders@9", "orders@0 orders@1"},
		{"G15MutualClaim", "a b c", "a@0 b@0|b@0 a@0|c@0", "c@0"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			expect(t, arrival(t, begin(c.inputs, ""), strings.Split(c.arrive, "|")...), c.deliver)
		})
	}
}

// TestG4OpenThenAbortedTransaction: while the transaction is open the position stays before it, and a claim into
// it waits; after the abort the position passes it.
func TestG4OpenThenAbortedTransaction(t *testing.T) {
	w := begin("orders payments", "")
	expect(t, arrival(t, w, "orders@4", "payments@0 orders@6"), "orders@4")
	if got, _ := w.advance("orders", 5); got != nil {
		t.Fatalf("delivered %v", got)
	}
	got, err := w.advance("orders", 9)
	if err != nil {
		t.Fatal(err)
	}
	expect(t, got, "payments@0")
}

// TestG6G7PositionOutsideTheLog: the start says both numbers, and never goes on silently.
func TestG6G7PositionOutsideTheLog(t *testing.T) {
	for name, c := range map[string]struct {
		log  Extent
		want StartError
	}{
		"G6": {Extent{500, 600}, StartError{Reason: BehindRetention, Position: 100, Bound: 500}},
		"G7": {Extent{0, 20}, StartError{Reason: PastEnd, Position: 100, Bound: 20}},
	} {
		t.Run(name, func(t *testing.T) {
			w := begin("orders", "")
			arrival(t, w, "orders@99")
			w.flush()
			w.extent(channel("orders"), c.log)
			var refused *StartError
			err := w.restore(declare("orders", ""))
			if !errors.As(err, &refused) || refused.Reason != c.want.Reason ||
				refused.Position != c.want.Position || refused.Bound != c.want.Bound || len(refused.WaysOut) != 2 {
				t.Fatalf("got %v", err)
			}
		})
	}
}

// TestG13SameArrivalSameDelivery: concurrent records have no order of their own; the order of arrival decides, and
// flushes between them change nothing.
func TestG13SameArrivalSameDelivery(t *testing.T) {
	records := []string{"a@0", "b@0 c@1", "c@0", "d@0", "b@1", "a@1 b@1", "d@1 c@1", "c@1", "c@2", "a@2"}
	first := arrival(t, begin("a b c d", ""), records...)
	w := begin("a b c d", "")
	var second []string
	for _, r := range records {
		second = append(second, arrival(t, w, r)...)
		w.flush()
	}
	if !slices.Equal(first, second) || len(first) != len(records) {
		t.Fatalf("%v, then %v", first, second)
	}
}

// TestHeldRecordsCostNoHeap: held and flushed, records leave the heap; what stays does not grow with their
// number. (The store of the test is a counter that makes each value up again when it is read.)
func TestHeldRecordsCostNoHeap(t *testing.T) {
	const records = 200_000
	task, _, err := Restore(declare("a b", ""), madeUp{}, madeUp{})
	if err != nil {
		t.Fatal(err)
	}
	before := heap()
	for i := range records {
		f := Fetched{Channel: channel("a"), Offset: int64(i), Headers: madeUpHeaders}
		if err := task.Receive(f); err != nil {
			t.Fatal(err)
		}
		if i%100 == 99 {
			task.Flush()
		}
	}
	if grown := heap() - before; task.Counts().Held != records || grown > 1<<20 {
		t.Fatalf("%d held records keep %d bytes of heap", task.Counts().Held, grown)
	}
	if err := task.Advance(channel("b"), 1); err != nil {
		t.Fatal(err)
	}
	for i := int64(0); ; i++ {
		r, ok := task.Next()
		if !ok {
			break
		}
		if r.Offset != i {
			t.Fatalf("offset %d, want %d", r.Offset, i)
		}
		if err := task.Delivered(); err != nil {
			t.Fatal(err)
		}
	}
	if c := task.Counts(); c.Delivered != records || c.Held != 0 {
		t.Fatalf("%+v", c)
	}
}

var madeUpHeaders = []Header{{HeaderClock, clockOf("b@0").AppendTo(nil)}}

type madeUp struct{}

func (madeUp) Get(key string) ([]byte, error) {
	_, index, found := strings.Cut(key, "/e/")
	if !found {
		return nil, nil
	}
	var offset int64
	for _, digit := range index {
		offset = offset<<4 | int64(strings.IndexRune("0123456789abcdef", digit))
	}
	return encodeHeld(Record{Offset: offset, Clock: clockOf("b@0")}), nil
}

func (madeUp) Topic(TopicID) (Topic, bool, error) {
	return Topic{Partitions: []Extent{{0, 1 << 40}}}, true, nil
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
