package engine

import (
	"context"
	"sync"
	"testing"

	"github.com/leat-run/leat/runtime"
)

// deliveries of one edge, each of so many bytes, numbered by seq.
func deliveries(l *lane, bytes int, seqs ...runtime.Seq) (all []delivery) {
	for _, seq := range seqs {
		all = append(all, delivery{seq: seq, edge: &edge{lane: l}, msg: runtime.Message{Payload: make([]byte, bytes)}})
	}
	return all
}

// Each edge has room of its own, in messages and in bytes: one that is full does not keep
// another out. What is heavier than all of the room enters alone. What was accepted comes
// out in order, with tickets without a gap.
func TestInboxRoom(t *testing.T) {
	q := newInbox()
	few, light := q.newLane(2, 1000), q.newLane(100, 10)
	if n := few.accept(deliveries(few, 1, 1, 2, 3)); n != 2 || !few.waiting {
		t.Errorf("%d accepted where there is room for 2", n)
	}
	if n := light.accept(deliveries(light, 20, 4, 5)); n != 1 {
		t.Errorf("%d heavy ones accepted, one alone should be", n)
	}
	if n := light.accept(deliveries(light, 1, 6)); n != 0 {
		t.Error("accepted beside a heavy one")
	}
	var got []delivery
	for want := range uint64(3) {
		var ticket uint64
		if got, ticket = q.take(got, 1); ticket != want {
			t.Errorf("ticket %d, want %d", ticket, want)
		}
	}
	if len(got) != 3 || got[0].seq != 1 || got[1].seq != 2 || got[2].seq != 4 || q.waiting() != 0 {
		t.Errorf("taken %+v, %d are left", got, q.waiting())
	}
	if n := light.accept(deliveries(light, 6, 7, 8)); n != 1 {
		t.Errorf("%d accepted where there is room for 10 bytes", n)
	}
}

// A pusher waits until half of its room is free, or its context ends.
func TestInboxPusherWaits(t *testing.T) {
	q := newInbox()
	l := q.newLane(4, 1000)
	pushed := make(chan error, 1)
	go func() { pushed <- l.push(t.Context(), deliveries(l, 1, 1, 2, 3, 4, 5)) }()
	waitFor(t, func() bool { return q.waiting() == 4 })
	q.take(nil, 1)
	select {
	case err := <-pushed:
		t.Errorf("woken for one free place: %v", err)
	default:
	}
	q.take(nil, 1)
	if err := <-pushed; err != nil || q.waiting() != 3 {
		t.Errorf("%v, %d wait", err, q.waiting())
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := l.push(ctx, deliveries(l, 1, 6, 7, 8)); err == nil {
		t.Error("a push whose context ended was taken whole")
	}
}

// Under a crowd of pushers and takers nothing is lost, doubled, or out of its edge's order.
func TestInboxHammer(t *testing.T) {
	const edges, each = 4, 3000
	q := newInbox()
	var crowd, takers sync.WaitGroup
	lanes := make([]*lane, edges)
	for i := range lanes {
		lanes[i] = q.newLane(7, 100)
		crowd.Go(func() {
			for seq := runtime.Seq(1); seq <= each; seq += 3 {
				if err := lanes[i].push(t.Context(), deliveries(lanes[i], int(seq%9), seq, seq+1, seq+2)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var mu sync.Mutex
	tickets := map[uint64]delivery{}
	for range 3 {
		takers.Go(func() {
			for {
				got, ticket, err := q.pop(ctx, nil, 5)
				if err != nil {
					return
				}
				mu.Lock()
				for i := range got {
					tickets[ticket+uint64(i)] = got[i]
				}
				if len(tickets) == edges*each {
					cancel()
				}
				mu.Unlock()
			}
		})
	}
	crowd.Wait()
	takers.Wait()
	next := map[*lane]runtime.Seq{}
	for ticket := range uint64(edges * each) {
		d, ok := tickets[ticket]
		if !ok {
			t.Fatalf("nobody got ticket %d", ticket)
		}
		if next[d.edge.lane]++; d.seq != next[d.edge.lane] {
			t.Fatalf("ticket %d is %d of its edge, want %d", ticket, d.seq, next[d.edge.lane])
		}
	}
}
