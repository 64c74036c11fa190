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
}

func (m *model) sweep() {
	for {
		if n, there := m.open[m.frontier+1]; !there || n > 0 {
			return
		}
		m.frontier++
	}
}

// Any legal sequence of arrivals, openings, endings and forces gives the model's frontier,
// a balance that balances, and gets back exactly the slots of committed or forced messages.
func FuzzTracker(f *testing.F) {
	f.Add([]byte{0, 0, 2, 1, 1, 0, 1, 0, 2, 0, 3, 1, 0, 9, 1, 1})
	f.Add([]byte("arrive, open, end, force, arrive, end"))
	f.Fuzz(func(t *testing.T, ops []byte) {
		m := &model{open: map[runtime.Seq]int{}}
		tracker := New(0, Balance{}, 1)
		arrived, freed, next := 0, 0, runtime.Seq(1)
		for i := 0; i+1 < len(ops); i += 2 {
			seq := runtime.Seq(ops[i+1])%max(next, 1) + 1
			switch open, there := m.open[seq]; ops[i] % 4 {
			case 0: // a run of rows arrives
				n := int(ops[i+1]%5) + 1
				freed += tracker.Arrive(Arrival{
					First: next, Bytes: make([]int64, n),
					Origin: Origin{Index: uint64(next - 1), Positions: make([]runtime.Position, n)},
				}).Messages
				for range n {
					m.open[next] = 1
					next++
					arrived++
				}
			case 1:
				if there && open > 0 {
					freed += tracker.Apply(Event{Seq: seq, Open: 2, Ending: Delivered}).Messages
					m.open[seq]++
				}
			case 2:
				if there && open > 0 {
					freed += tracker.Apply(Event{Seq: seq, Ending: Ending(ops[i]/4)%6 + 1}).Messages
					m.open[seq]--
				}
			case 3:
				if there && open > 0 {
					freed += tracker.Force(seq).Messages
					m.open[seq] = 0
				}
			}
			m.sweep()
			compare(t, tracker, m, arrived, freed)
		}
	})
}

func compare(t *testing.T, tracker *Tracker, m *model, arrived, freed int) {
	t.Helper()
	stats := tracker.Stats()
	if stats.Frontier != m.frontier {
		t.Fatalf("frontier %d, model %d", stats.Frontier, m.frontier)
	}
	if err := stats.Balance.Check(); err != nil {
		t.Fatal(err)
	}
	if got := int(stats.Balance.Committed) + len(tracker.Outstanding(1<<20)); got > arrived {
		t.Fatalf("%d committed or outstanding of %d that arrived", got, arrived)
	}
	if freed+stats.Outstanding != arrived {
		t.Fatalf("%d freed + %d outstanding != %d arrived", freed, stats.Outstanding, arrived)
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
