package commit

import (
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/leat-run/leat/runtime"
)

// model is the tracker in ten lines: a map of open branches and a scan from the start.
type model struct {
	open     map[runtime.Seq]int
	frontier runtime.Seq
	next     runtime.Seq // that has not arrived
	arrived  Freed
	freed    Freed
}

func (m *model) sweep() {
	for {
		if n, there := m.open[m.frontier+1]; !there || n > 0 {
			return
		}
		m.frontier++
	}
}

// arrive is the arrival of n rows, those among them that were forced before included.
func (m *model) arrive(n int) Arrival {
	a := Arrival{First: m.next, Origin: Origin{Index: uint64(m.next - 1), Positions: make([]runtime.Position, n)}}
	for range n {
		size := int64(m.next) * 3
		a.Bytes = append(a.Bytes, size)
		m.arrived.Messages, m.arrived.Bytes = m.arrived.Messages+1, m.arrived.Bytes+size
		if _, forced := m.open[m.next]; !forced {
			m.open[m.next] = 1
		}
		m.next++
	}
	return a
}

func (m *model) count(f Freed) {
	m.freed.Messages, m.freed.Bytes = m.freed.Messages+f.Messages, m.freed.Bytes+f.Bytes
}

const mostSteps = 300

// Any legal sequence of arrivals, openings, endings and forces, of rows that are still to arrive too,
// gives the model's frontier and open branches, a balance that balances, and gets back exactly
// the slots and bytes of committed or forced messages.
func FuzzTracker(f *testing.F) {
	f.Add([]byte{0, 0, 2, 1, 1, 0, 1, 0, 2, 0, 3, 1, 0, 9, 1, 1})
	f.Add([]byte{4, 0, 4, 2, 0, 1, 2, 0, 0, 3, 3, 1, 2, 4, 1, 3, 27, 3, 2, 3})
	f.Add([]byte("arrive, open, end, force, arrive, end"))
	f.Fuzz(func(t *testing.T, ops []byte) {
		m := &model{open: map[runtime.Seq]int{}, next: 1}
		tracker := New(0, Balance{}, 1)
		for i := 0; i+1 < min(len(ops), 2*mostSteps); i += 2 {
			seq := runtime.Seq(ops[i+1])%m.next + 1
			open := m.open[seq] > 0
			switch op := ops[i] % 5; {
			case op == 0:
				m.count(tracker.Arrive(m.arrive(int(ops[i+1]%5) + 1)))
			case op == 1 && open:
				m.count(tracker.Apply(Event{Seq: seq, Open: 2, Ending: Delivered}))
				m.open[seq]++
			case op == 2 && open:
				m.count(tracker.Apply(Event{Seq: seq, Ending: Ending(ops[i]/5)%(endings-1) + 1}))
				m.open[seq]--
			case op == 3 && open:
				m.count(tracker.Force(seq))
				m.open[seq] = 0
			case op == 4:
				ahead := m.next + runtime.Seq(ops[i+1]%4)
				m.count(tracker.Force(ahead))
				m.open[ahead] = 0
			}
			m.sweep()
			compare(t, tracker, m)
		}
	})
}

func compare(t *testing.T, tracker *Tracker, m *model) {
	t.Helper()
	stats := tracker.Stats()
	if stats.Frontier != m.frontier || stats.Balance.Committed != uint64(m.frontier) {
		t.Fatalf("frontier %d, %d committed, model %d", stats.Frontier, stats.Balance.Committed, m.frontier)
	}
	if err := stats.Balance.Check(); err != nil {
		t.Fatal(err)
	}
	branches := 0
	for _, n := range m.open {
		branches += n
	}
	if stats.Branches != int64(branches) {
		t.Fatalf("%d open branches, model %d", stats.Branches, branches)
	}
	if left := (Freed{stats.Outstanding, stats.Bytes}); m.freed.Messages+left.Messages != m.arrived.Messages || m.freed.Bytes+left.Bytes != m.arrived.Bytes {
		t.Fatalf("%+v freed + %+v outstanding != %+v", m.freed, left, m.arrived)
	}
}

// Four sources arrive and end from eight goroutines in any order: at the end everything
// is committed, every slot is back, every source stands at its last emission.
func TestHammer(t *testing.T) {
	const sources, groups, size = 4, 200, 5
	tracker := New(0, Balance{}, sources)
	var seqs struct {
		sync.Mutex
		next runtime.Seq
	}
	var freed struct {
		sync.Mutex
		Freed
	}
	count := func(f Freed) {
		freed.Lock()
		defer freed.Unlock()
		freed.Messages += f.Messages
		freed.Bytes += f.Bytes
	}
	take := func(n runtime.Seq) runtime.Seq {
		seqs.Lock()
		defer seqs.Unlock()
		seqs.next += n
		return seqs.next - n + 1
	}
	var wg sync.WaitGroup
	for source := range sources {
		for half := range 2 {
			wg.Go(func() {
				rng := rand.New(rand.NewPCG(uint64(source), uint64(half)))
				for group := half; group < groups; group += 2 {
					hammerGroup(tracker, take(size), source, group*size, rng, count)
				}
			})
		}
	}
	wg.Wait()
	advance, _ := tracker.Take()
	const total = sources * groups * size
	if stats := tracker.Stats(); stats.Frontier != total || stats.Outstanding != 0 || stats.Branches != 0 || stats.Bytes != 0 {
		t.Fatalf("not all is committed: %+v", stats)
	}
	if freed.Messages != total || freed.Bytes != total {
		t.Fatalf("freed %+v of %d", freed.Freed, total)
	}
	if err := advance.Balance.Check(); err != nil {
		t.Fatal(err)
	}
	for _, p := range advance.Positions {
		if p.Position[0] != byte((groups*size-1)%256) {
			t.Errorf("source %d ended at %v", p.Source, p.Position)
		}
	}
}

func hammerGroup(tracker *Tracker, first runtime.Seq, source, index int, rng *rand.Rand, count func(Freed)) {
	const size = 5
	a := Arrival{First: first, Bytes: []int64{1, 1, 1, 1, 1}, Origin: Origin{Source: source, Index: uint64(index)}}
	for i := range size {
		a.Origin.Positions = append(a.Origin.Positions, runtime.Position{byte(index + i)})
	}
	count(tracker.Arrive(a))
	for _, i := range rng.Perm(size) {
		seq := first + runtime.Seq(i)
		count(tracker.Apply(Event{Seq: seq, Open: 1}))
		count(tracker.Apply(Event{Seq: seq, Ending: Delivered}, Event{Seq: seq, Ending: Dropped}))
		tracker.Take()
	}
}
