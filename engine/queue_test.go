package engine

import (
	"testing"

	"github.com/leat-run/leat/runtime"
)

// Whatever is pushed and popped in turns comes out once, in order, over the borders of
// chunks, and leaves nothing behind that would keep a message alive.
func FuzzDeliveryQueue(f *testing.F) {
	f.Add([]byte{3, 2, 200, 100, 64, 64, 1, 255, 0, 9})
	f.Add([]byte{255, 0, 255, 0, 255, 255, 255, 255, 255, 255})
	f.Fuzz(func(t *testing.T, steps []byte) {
		var q deliveryQueue
		var pushed, popped runtime.Seq
		for i, n := range steps {
			if i%2 == 0 {
				var items []delivery
				for range n {
					pushed++
					items = append(items, delivery{seq: pushed})
				}
				q.push(items)
			} else {
				for _, d := range q.pop(nil, int(n)) {
					if popped++; d.seq != popped {
						t.Fatalf("%d came where %d should", d.seq, popped)
					}
				}
			}
			if q.len != int(pushed-popped) || q.spares > spareChunks {
				t.Fatalf("%d wait, %d are spare after %d in and %d out", q.len, q.spares, pushed, popped)
			}
		}
		if got := q.pop(nil, int(pushed)); len(got) != int(pushed-popped) || q.first != nil || q.last != nil {
			t.Fatalf("%d left of %d", len(got), pushed-popped)
		}
		n := 0
		for c := q.spare; c != nil; c = c.next {
			n++
			for i := range c.items {
				if c.items[i].seq != 0 {
					t.Fatal("a spare chunk holds a delivery")
				}
			}
		}
		if n != q.spares {
			t.Fatalf("%d spare chunks, %d counted", n, q.spares)
		}
	})
}
