package commit

import (
	"fmt"
	"sync"

	"github.com/leat-run/leat/runtime"
)

// Tracker is the commit frontier of one run. Make it with New.
type Tracker struct {
	mu struct {
		sync.Mutex
		ring
		frontier    runtime.Seq // everything at or below is committed
		taken       runtime.Seq // frontier at the last Take
		balance     Balance
		outstanding int // messages that arrived and are not committed
		branches    int64
		bytes       int64
		forced      bool // Force was called: events for a passed seq may still come
		sources     []source
	}
}

// Event is what happened to branches of one message. Branches are opened before they can
// be seen by the node that will end them.
type Event struct {
	Seq    runtime.Seq
	Open   int32  // branches opened besides the one at hand
	Ending Ending // how the one at hand ended; None if it goes on
}

// Arrival registers a run of seqs, each with one open branch.
type Arrival struct {
	First  runtime.Seq
	Bytes  []int64 // per message: what its gate slot weighs; the tracker does not keep the slice
	Origin Origin
}

// Freed is what the gate gets back, because the frontier passed it.
type Freed struct {
	Messages int
	Bytes    int64
}

// Advance is the progress since the last Take.
type Advance struct {
	Through runtime.Seq
	Balance Balance
	// Positions holds the sources that have a new one, in the order of their index.
	Positions []SourcePosition
}

// SourcePosition says how far a source is committed.
type SourcePosition struct {
	Source   int
	Position runtime.Position
}

// Stats is a snapshot.
type Stats struct {
	Frontier    runtime.Seq
	Outstanding int   // messages
	Branches    int64 // open ones
	Bytes       int64 // of the outstanding messages
	Balance     Balance
}

// New returns a tracker for a run that starts behind the given checkpoint: rows at or
// below it are committed and will not arrive. balance is what stood beside it.
func New(checkpoint runtime.Seq, balance Balance, sources int) *Tracker {
	t := &Tracker{}
	t.mu.ring = newRing(checkpoint + 1)
	t.mu.frontier, t.mu.taken, t.mu.balance = checkpoint, checkpoint, balance
	t.mu.sources = make([]source, sources)
	return t
}

// Arrive registers rows that are durable. Rows of several callers may arrive in any order.
// A row that was ended by force before it arrived is counted and freed at once.
func (t *Tracker) Arrive(a Arrival) Freed {
	t.mu.Lock()
	defer t.mu.Unlock()
	var freed Freed
	for i, bytes := range a.Bytes {
		t.arriveLocked(a.First+runtime.Seq(i), bytes, &freed)
	}
	if a.Origin.Source != Nobody {
		t.mu.sources[a.Origin.Source].add(run{
			index: a.Origin.Index, first: a.First, count: uint64(len(a.Bytes)), positions: pack(a.Origin.Positions),
		})
	}
	t.sweepLocked(&freed)
	return freed
}

// Adopt says that a row of an earlier run, which arrived as nobody's or is committed, is
// an emission that the source makes again: the position counts once the row is committed.
// The origin has one position.
func (t *Tracker) Adopt(seq runtime.Seq, o Origin) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.mu.sources[o.Source].add(run{index: o.Index, first: seq, count: 1, positions: pack(o.Positions)})
}

// Refuse says that n emissions of a source, from index on, were not accepted: its
// frontier does not wait for them.
func (t *Tracker) Refuse(source int, index uint64, n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.mu.sources[source].add(run{index: index, count: uint64(n)})
}

// Apply takes events in order and returns what the gate gets back. The slice is not kept.
func (t *Tracker) Apply(events ...Event) Freed {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i := range events {
		t.applyLocked(&events[i])
	}
	var freed Freed
	t.sweepLocked(&freed)
	return freed
}

// Force ends all open branches of seq as dead-lettered: its record is durable. It leaves a
// removed mark, so that the frontier passes it even if the row has not arrived yet.
func (t *Tracker) Force(seq runtime.Seq) Freed {
	t.mu.Lock()
	defer t.mu.Unlock()
	var freed Freed
	if seq <= t.mu.frontier {
		return freed
	}
	t.mu.forced = true
	e := t.mu.at(seq)
	if e.state == absent {
		e.open, e.opened = 1, 1
		t.mu.branches++
	}
	e.ended[DeadLettered] += uint32(e.open)
	t.mu.branches -= int64(e.open)
	e.open = 0
	t.freeLocked(e, &freed)
	e.state = removed
	t.sweepLocked(&freed)
	return freed
}

// Take returns the progress since the last Take; false if there is none.
func (t *Tracker) Take() (Advance, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	advance := Advance{Through: t.mu.frontier, Balance: t.mu.balance}
	for i := range t.mu.sources {
		if s := &t.mu.sources[i]; s.advance(t.mu.frontier) {
			advance.Positions = append(advance.Positions, SourcePosition{Source: i, Position: s.last})
		}
	}
	moved := t.mu.frontier > t.mu.taken || len(advance.Positions) > 0
	t.mu.taken = t.mu.frontier
	return advance, moved
}

// Outstanding returns the seqs that arrived and are not committed, in order, with at most
// the given number of them.
func (t *Tracker) Outstanding(most int) []runtime.Seq {
	t.mu.Lock()
	defer t.mu.Unlock()
	var seqs []runtime.Seq
	for seq := t.mu.base; seq < t.mu.end() && len(seqs) < most; seq++ {
		if e := t.mu.at(seq); e.state == arrived && e.open > 0 {
			seqs = append(seqs, seq)
		}
	}
	return seqs
}

// Stats returns a snapshot in constant time.
func (t *Tracker) Stats() Stats {
	t.mu.Lock()
	defer t.mu.Unlock()
	return Stats{
		Frontier: t.mu.frontier, Outstanding: t.mu.outstanding, Branches: t.mu.branches,
		Bytes: t.mu.bytes, Balance: t.mu.balance,
	}
}

func (t *Tracker) arriveLocked(seq runtime.Seq, bytes int64, freed *Freed) {
	if seq <= t.mu.frontier {
		check(t.mu.forced, "seq %d arrived behind the frontier %d", seq, t.mu.frontier)
		freed.Messages, freed.Bytes = freed.Messages+1, freed.Bytes+bytes
		return
	}
	e := t.mu.at(seq)
	check(e.state != arrived, "seq %d arrived twice", seq)
	if e.state == removed {
		freed.Messages, freed.Bytes = freed.Messages+1, freed.Bytes+bytes
		return
	}
	*e = entry{state: arrived, open: 1, opened: 1, bytes: bytes}
	t.mu.outstanding++
	t.mu.branches++
	t.mu.bytes += bytes
}

func (t *Tracker) applyLocked(ev *Event) {
	if ev.Seq <= t.mu.frontier {
		check(t.mu.forced, "event for seq %d behind the frontier %d", ev.Seq, t.mu.frontier)
		return
	}
	e := t.mu.at(ev.Seq)
	if e.state == removed {
		return
	}
	check(e.state == arrived && e.open > 0, "event for seq %d, which has no open branch", ev.Seq)
	e.open += ev.Open
	e.opened += uint32(ev.Open)
	t.mu.branches += int64(ev.Open)
	if ev.Ending != None {
		e.open--
		e.ended[ev.Ending]++
		t.mu.branches--
	}
}

// sweepLocked moves the frontier over finished messages.
func (t *Tracker) sweepLocked(freed *Freed) {
	for {
		e := t.mu.at(t.mu.base)
		if e.state == absent || e.open > 0 {
			return
		}
		t.freeLocked(e, freed)
		t.mu.balance.add(e)
		t.mu.frontier = t.mu.base
		t.mu.pop()
	}
}

// freeLocked gives an arrived message's slot back, once.
func (t *Tracker) freeLocked(e *entry, freed *Freed) {
	if e.state != arrived {
		return
	}
	freed.Messages++
	freed.Bytes += e.bytes
	t.mu.outstanding--
	t.mu.bytes -= e.bytes
}

// check panics on a fault of this program: nothing that follows could be trusted.
func check(ok bool, format string, args ...any) {
	if !ok {
		panic("commit: " + fmt.Sprintf(format, args...))
	}
}
