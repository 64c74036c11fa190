package sim

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/leat-run/leat/engine/commit"
	"github.com/leat-run/leat/runtime"
)

// spool is a pipeline's commit side in little: rows that are durable, branches that end in any order, a
// checkpoint that is written late, and crashes that leave only the rows and the checkpoint.
type spool struct {
	rng   *rand.Rand
	fired map[string]int
	trace []string

	// Durable.
	rows    runtime.Seq
	through runtime.Seq
	balance commit.Balance
	ended   map[runtime.Seq]bool // every branch ended, in this life or an earlier one

	// Memory.
	tracker  *commit.Tracker
	waiting  []commit.Arrival // durable, not registered yet
	open     map[runtime.Seq]int
	emitted  []runtime.Seq // by emission index of this life
	position int           // emissions of this life that the source was told are committed
}

func newSpool(seed uint64) *spool {
	s := &spool{rng: rand.New(rand.NewPCG(seed, 8)), fired: map[string]int{}, ended: map[runtime.Seq]bool{}}
	s.restart()
	return s
}

func (s *spool) note(format string, args ...any) {
	s.trace = append(s.trace, fmt.Sprintf(format, args...))
}

// restart begins behind the checkpoint and registers every row after it again, as nobody's.
func (s *spool) restart() {
	s.tracker = commit.New(s.through, s.balance, 1)
	s.waiting, s.open, s.emitted, s.position = nil, map[runtime.Seq]int{}, nil, 0
	if n := int(s.rows - s.through); n > 0 {
		s.arrive(commit.Arrival{First: s.through + 1, Bytes: make([]int64, n), Origin: commit.Origin{Source: commit.Nobody}})
		s.fired["replayed rows"] += n
	}
	s.note("start behind %d of %d", s.through, s.rows)
}

// append makes a group of rows durable; it is registered later, so that groups race.
func (s *spool) append() {
	n := 1 + s.rng.IntN(4)
	a := commit.Arrival{First: s.rows + 1, Bytes: make([]int64, n), Origin: commit.Origin{Index: uint64(len(s.emitted))}}
	for range n {
		s.rows++
		s.emitted = append(s.emitted, s.rows)
		a.Origin.Positions = append(a.Origin.Positions, binary.BigEndian.AppendUint64(nil, uint64(len(s.emitted))))
	}
	s.waiting = append(s.waiting, a)
	s.note("append %d", n)
}

func (s *spool) register() {
	if len(s.waiting) == 0 {
		return
	}
	i := s.rng.IntN(len(s.waiting))
	if i > 0 {
		s.fired["registered out of order"]++
	}
	s.arrive(s.waiting[i])
	s.waiting = slices.Delete(s.waiting, i, i+1)
}

func (s *spool) arrive(a commit.Arrival) {
	s.tracker.Arrive(a)
	for i := range a.Bytes {
		s.open[a.First+runtime.Seq(i)] = 1
	}
	s.note("arrive %d+%d", a.First, len(a.Bytes))
}

var endings = []commit.Ending{commit.Delivered, commit.Null, commit.NoMatch, commit.Dropped, commit.DeadLettered}

// branch opens or ends a branch of any open message.
func (s *spool) branch() {
	var seqs []runtime.Seq
	for seq := range s.open {
		seqs = append(seqs, seq)
	}
	if len(seqs) == 0 {
		return
	}
	slices.Sort(seqs)
	seq := seqs[s.rng.IntN(len(seqs))]
	e := commit.Event{Seq: seq, Ending: endings[s.rng.IntN(len(endings))]}
	if s.rng.IntN(4) == 0 {
		e.Open, e.Ending = int32(1+s.rng.IntN(3)), commit.None
		s.open[seq] += int(e.Open)
	} else if s.open[seq]--; s.open[seq] == 0 {
		delete(s.open, seq)
		s.ended[seq] = true
	}
	s.tracker.Apply(e)
	s.note("event %+v", e)
}

// checkpoint takes the progress and holds it against what really ended.
func (s *spool) checkpoint() error {
	a, moved := s.tracker.Take()
	if !moved {
		return nil
	}
	s.note("take %d", a.Through)
	if a.Through < s.through {
		return fmt.Errorf("the frontier fell from %d to %d", s.through, a.Through)
	}
	for seq := s.through + 1; seq <= a.Through; seq++ {
		if !s.ended[seq] {
			return fmt.Errorf("the frontier is %d, but %d has open branches", a.Through, seq)
		}
	}
	if a.Balance.Committed != uint64(a.Through) {
		return fmt.Errorf("%d messages are committed behind %d", a.Balance.Committed, a.Through)
	}
	if err := errors.Join(a.Balance.Check(), s.tell(a)); err != nil {
		return err
	}
	if s.rng.IntN(3) == 0 { // a crash here loses the write
		s.fired["checkpoints lost"]++
		s.crash()
		return nil
	}
	s.through, s.balance = a.Through, a.Balance
	s.fired["checkpoints"]++
	return nil
}

// tell holds a source's new position against what it emitted.
func (s *spool) tell(a commit.Advance) error {
	for _, p := range a.Positions {
		through := int(binary.BigEndian.Uint64(p.Position))
		if through <= s.position {
			return fmt.Errorf("the source's position fell from %d to %d", s.position, through)
		}
		for _, seq := range s.emitted[s.position:through] {
			if seq > a.Through {
				return fmt.Errorf("the source was told %d, whose row %d is not committed", through, seq)
			}
		}
		s.position = through
		s.fired["positions"]++
	}
	return nil
}

func (s *spool) crash() {
	if len(s.open) > 0 {
		s.fired["crashes with open branches"]++
	}
	s.note("crash")
	s.restart()
}

func (s *spool) run(steps int) error {
	for range steps {
		switch roll := s.rng.IntN(100); {
		case roll < 15:
			s.append()
		case roll < 30:
			s.register()
		case roll < 90:
			s.branch()
		case roll < 98:
			if err := s.checkpoint(); err != nil {
				return err
			}
		default:
			s.crash()
		}
	}
	return s.drain()
}

// drain ends everything: nothing may be left, and every row must be counted.
func (s *spool) drain() error {
	for len(s.waiting) > 0 {
		s.register()
	}
	for len(s.open) > 0 {
		s.branch()
	}
	a, _ := s.tracker.Take()
	if left := s.tracker.Stats(); a.Through != s.rows || left.Outstanding != 0 || left.Branches != 0 {
		return fmt.Errorf("of %d rows %d are committed at the end: %+v", s.rows, a.Through, left)
	}
	if a.Balance.Committed != uint64(s.rows) {
		return fmt.Errorf("%d rows, %d counted", s.rows, a.Balance.Committed)
	}
	return a.Balance.Check()
}

// TestCommitTracker drives the commit tracker through racing registrations, random ends of branches, crashes and
// restarts from the checkpoint: nothing is lost, the frontier only rises, the balance is right.
func TestCommitTracker(t *testing.T) {
	fired := map[string]int{}
	for seed := range uint64(max(seeds(t)/10, 100)) {
		s := newSpool(seed)
		if err := s.run(400); err != nil {
			t.Fatalf("seed %d: %v\n%q", seed, err, s.trace)
		}
		for what, n := range s.fired {
			fired[what] += n
		}
	}
	for _, what := range []string{
		"replayed rows", "registered out of order", "checkpoints", "checkpoints lost", "positions", "crashes with open branches",
	} {
		if fired[what] == 0 {
			t.Errorf("nothing was %s: %v", what, fired)
		}
	}
}
