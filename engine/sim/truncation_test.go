package sim

import (
	"testing"

	"github.com/leat-run/leat/engine/causal"
)

// TestFullTruncation: when retention has deleted everything, truncation leaves nothing in the clocks that only the stamp
// needs; traffic after that is causal; and a stage that joins then, from the earliest record, is in order too.
func TestFullTruncation(t *testing.T) {
	s := scenario{name: "full truncation", chaos: chaos{crash: 20, truncate: 10}, build: func(b *builder) {
		b.producer("p", "a b")
		b.node("x", "a", "s")
		b.node("y", "s b", "t")
		b.node("z", "a t s", "u")
	}}
	delivered := 0
	for seed := range uint64(20) {
		w := newWorld(s, seed, broken{})
		if err := w.run(steps); err != nil {
			t.Fatalf("%v\n%s", err, w.text())
		}
		deleteAll(w)
		for _, n := range w.nodes {
			truncateNode(t, w, n)
		}
		joiner := &node{w: w, name: "joiner", store: map[string][]byte{}, committed: newLedger()}
		for _, topic := range w.sorted() {
			joiner.inputs = append(joiner.inputs, topic.partitions[0].at)
		}
		w.nodes = append(w.nodes, joiner)
		if err := w.run(steps); err != nil {
			t.Fatalf("%v\n%s", err, w.text())
		}
		for _, last := range joiner.committed.last {
			delivered += int(last)
		}
	}
	if delivered == 0 {
		t.Fatal("the joiner had nothing to do")
	}
}

func deleteAll(w *world) {
	for _, topic := range w.sorted() {
		for _, p := range topic.partitions {
			p.start = p.end()
		}
	}
}

func truncateNode(t *testing.T, w *world, n *node) {
	t.Helper()
	bounds, err := causal.Bounds(n.task.Truncatable(), w.log, w.states()...)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := n.task.Truncate(bounds); err != nil {
		t.Fatal(err)
	}
	if left := n.task.Truncatable(); left.Len() > 0 {
		t.Fatalf("seed %d: %s still carries %s", w.seed, n.name, left)
	}
	n.commit()
}
