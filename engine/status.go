package engine

import (
	"strings"
	"time"

	"github.com/leat-run/leat/engine/commit"
	"github.com/leat-run/leat/runtime"
)

// RunStatus is a snapshot of a run: every count and gauge that the engine has. Counts are of
// this process unless they say otherwise. Rates are for the reader to make of two of them;
// distributions are told to an Observer.
type RunStatus struct {
	Pipeline string
	State    State
	// Reason says why it is blocked: the store's words, or that dead letters cannot be
	// written; Since is when that began, where it is known. Blocked is the reason in one
	// word: disk, spool or letters; "" where it is not blocked.
	Reason  string
	Blocked string
	Since   time.Time

	Read, Replayed, Injected int64
	InFlight                 int   // messages, uncommitted
	InFlightBytes            int64 // their payloads
	Branches                 int64 // open ones
	Backpressure             Backpressure
	// Balance counts the committed messages of this run and how their branches ended, filters by
	// reason; Total those since the store was made.
	Balance, Total commit.Balance
	Letters        int64 // dead letters written
	LettersBy      []LetterCount
	// Unevaluated counts predicates that could not be evaluated, and did not match.
	Unevaluated int64
	// Frontier is committed in memory, Checkpoint durably, Last is the newest durable row:
	// what lies between the last two is what a crash would replay.
	Frontier, Checkpoint, Last runtime.Seq
	SpoolRows, SpoolBytes      int64 // those retained behind the checkpoint too
	// SourceRead and SourceTotal are bytes, summed over the sources; Sized says that every
	// source knows its total.
	SourceRead, SourceTotal int64
	Sized                   bool
	Sources                 []SourceStatus
	Nodes                   []NodeStatus
	Edges                   []EdgeStatus // in the plan's order
}

// Lag is how many rows lie behind the durable checkpoint: what a crash would replay.
func (s RunStatus) Lag() int64 { return int64(s.Last - s.Checkpoint) }

// SourceStatus is a source's part since this process started.
type SourceStatus struct {
	Name, Plugin string
	Accepted     int64 // emissions
	Refused      int64 // commits of its position that it or the store refused; they are tried again
	Failed       bool  // it ended with an error, which ends the run
}

// EdgeStatus is how many messages went along an edge since this process started.
type EdgeStatus struct {
	From, To string
	Passed   int64
}

// NodeStatus is a node's part since this process started.
type NodeStatus struct {
	Name     string
	Flavor   string // of a transform; "" for a sink
	Waiting  int    // in its queue
	In       int64  // calls of a transform, messages of a sink
	Out      int64
	Failed   int64 // attempts
	Retries  int64
	Dropped  int64
	Recycled Recycled
	Near     NearBudget
}

// Recycled counts the instances that were replaced, by reason (runtime.Recycle).
type Recycled struct{ Failure, Memory int64 }

// Status returns a snapshot. It is safe while the engine runs, and cheap: it reads no
// rows, and nothing waits for it.
func (e *Engine) Status() RunStatus {
	stats := e.tracker.Stats()
	s := RunStatus{
		Pipeline: e.plan.Name, Read: e.read(), Replayed: e.replayed.Load(), Injected: e.injected.Load(),
		InFlight: stats.Outstanding, InFlightBytes: stats.Bytes, Branches: stats.Branches,
		Backpressure: e.pressure.snapshot(), Balance: stats.Balance.Minus(e.began), Total: stats.Balance,
		Letters: e.written.total(), LettersBy: e.written.list(), Unevaluated: e.unevaluated(),
		Frontier: stats.Frontier, Last: e.store.LastSeq(),
		SpoolRows: e.store.SpoolRows(), SpoolBytes: e.store.SpoolBytes(),
	}
	if checkpoint, err := e.store.Checkpoint(); err == nil {
		s.Checkpoint = checkpoint.Through
	}
	e.stateOf(&s)
	e.sourcesOf(&s)
	e.nodesOf(&s)
	e.edgesOf(&s)
	e.progressOf(&s)
	return s
}

// stateOf fills in the state: what is blocked says so whatever else goes on.
func (e *Engine) stateOf(s *RunStatus) {
	e.end.mu.Lock()
	s.State = e.end.state
	e.end.mu.Unlock()
	if s.State == StateStopped {
		return
	}
	if s.State == StateRunning && e.hold.on() {
		s.State = StatePaused
	}
	if reason, since := e.store.Blocked(); reason != "" {
		s.State, s.Reason, s.Since = StateBlocked, reason, since
		s.Blocked, _, _ = strings.Cut(reason, ":")
	} else if e.waitingLetters.Load() > 0 {
		s.State, s.Reason, s.Blocked = StateBlocked, "dead letters cannot be written", "letters"
	}
}

func (e *Engine) sourcesOf(s *RunStatus) {
	for _, src := range e.sources {
		status := SourceStatus{Name: src.plan.Name, Plugin: src.plan.Plugin, Accepted: src.emitter.accepted.Load()}
		if e.opened.Load() && src.committer != nil {
			status.Refused = src.committer.refused.Load()
		}
		status.Failed = e.end.failedSource(src.plan.Name)
		s.Sources = append(s.Sources, status)
	}
}

func (e *Engine) nodesOf(s *RunStatus) {
	for _, n := range e.topology.order {
		c := &n.counts
		s.Nodes = append(s.Nodes, NodeStatus{
			Name: n.name, Waiting: n.inbox.waiting(), In: c.in.Load(), Out: c.out.Load(),
			Failed: c.failed.Load(), Retries: c.retries.Load(), Dropped: c.dropped.Load(),
			Recycled: Recycled{Failure: c.recycledFailure.Load(), Memory: c.recycledMemory.Load()},
		})
	}
	for i, t := range e.transforms { // they come first in the topology's order
		s.Nodes[i].Flavor, s.Nodes[i].Near = t.plan.Flavor, t.near.counts()
	}
}

func (e *Engine) edgesOf(s *RunStatus) {
	for _, ed := range e.topology.edges {
		s.Edges = append(s.Edges, EdgeStatus{From: ed.From, To: ed.To, Passed: ed.passed.Load()})
	}
}

func (e *Engine) unevaluated() (n int64) {
	for _, ed := range e.topology.edges {
		n += ed.unmatched.Load()
	}
	return n
}

func (e *Engine) progressOf(s *RunStatus) {
	if !e.opened.Load() {
		return
	}
	s.Sized = len(e.sources) > 0
	for _, src := range e.sources {
		sizer, ok := src.source.(Sizer)
		if !ok {
			s.Sized = false
			continue
		}
		read, total := sizer.Progress()
		s.SourceRead, s.SourceTotal = s.SourceRead+read, s.SourceTotal+total
	}
}
